/** A sheet with its name and its rows, as they come. */
export interface Page {
  readonly name: string
  readonly rows: AsyncIterable<readonly (readonly unknown[])[]> | Iterable<readonly (readonly unknown[])[]>
}
