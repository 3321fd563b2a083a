/**
 * The moment of the past that the address names: pages that can show the past read the estate as of it. Undefined for the present. Pages render again
 * with every navigation, as it is a parameter of their route.
 */
export const momentInAddress = (): string | undefined => new URLSearchParams(location.search).get('as_of') || undefined

/** As a query parameter of a request. */
export function momentAsked(): Readonly<Record<string, string>> {
  const moment = momentInAddress()
  return moment === undefined ? {} : { as_of: moment }
}
