/** The parts of the DOM that functions in the page use; other test code runs in Node and is checked without DOM types. */
export interface PageDocument {
  readonly activeElement: unknown
  readonly cookie: string
  readonly documentElement: PageElement
  querySelectorAll(selectors: string): Iterable<PageElement>
  querySelector(selectors: string): PageElement | null
  elementFromPoint(x: number, y: number): PageElement | null
}

export interface PageElement {
  readonly id: string
  readonly tagName: string
  readonly outerHTML: string
  readonly parentElement: PageElement | null
  readonly dataset: Readonly<Record<string, string>>
  readonly textContent: string
  readonly scrollWidth: number
  readonly scrollHeight: number
  readonly clientWidth: number
  readonly clientHeight: number
  scrollTop: number
  click(): void
  closest(selectors: string): PageElement | null
  querySelector(selectors: string): PageElement | null
  querySelectorAll(selectors: string): { readonly length: number }
  getBoundingClientRect(): { left: number; right: number; top: number; width: number; height: number }
}

export type RequestFrame = (painted: () => void) => unknown

export type ComputedStyleOf = (element: PageElement) => { readonly overflowX: string }
