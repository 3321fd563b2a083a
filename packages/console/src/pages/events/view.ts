/** The state in the address. */
export interface EventsView {
  readonly tab?: string
  readonly business?: string
  readonly scope?: string
  readonly find?: string
  readonly start?: string
  readonly resource?: string
  readonly action?: string
}
