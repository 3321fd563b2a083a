/** A row of an answer, and further fields of it that are stored as JSON: their text is copied into the answer, without being parsed. */
export class StoredRow<Row = unknown> {
  readonly row: Row
  /** The further fields as they are written in JSON: `"name":value`, separated by commas. */
  readonly #fields: string

  constructor(row: Row, fields: string) {
    this.row = row
    this.#fields = fields
  }

  map<Other>(change: (row: Row) => Other): StoredRow<Other> {
    return new StoredRow(change(this.row), this.#fields)
  }

  text(): string {
    const own = JSON.stringify(this.row).slice(0, -1)
    return `${own}${own === '{' ? '' : ','}${this.#fields}}`
  }
}

/** An answer of `{count, info}` with such rows. */
export class StoredRows<Row = unknown> {
  readonly count: number
  readonly #rows: readonly StoredRow<Row>[]

  constructor(count: number, rows: readonly StoredRow<Row>[]) {
    this.count = count
    this.#rows = rows
  }

  map<Other>(change: (row: Row) => Other): StoredRows<Other> {
    return new StoredRows(
      this.count,
      this.#rows.map((row) => row.map(change)),
    )
  }

  text(): string {
    return `{"count":${this.count},"info":[${this.#rows.map((row) => row.text()).join(',')}]}`
  }
}

/** The JSON of a row in either form. */
export const textOfRow = (row: unknown) => (row instanceof StoredRow ? row.text() : JSON.stringify(row))

/** Changes a row in either form. */
export const changeRow = <Row>(row: Row | StoredRow<Row>, change: (row: Row) => Row) =>
  row instanceof StoredRow ? row.map(change) : change(row)
