/** The store at one moment, seen by one reader while others go on writing. */
export interface Still {
  readonly engine: 'sqlite' | 'postgres'
  /** The steps of the schema that have been taken, the first one first. */
  readonly steps: readonly Step[]
  /** Also those that somebody else has made beside ours. */
  tables(): Promise<readonly (Shape & Denied)[]>
  /** What numbers have been drawn: one list for both engines. */
  counters(): Promise<readonly (Counter & Denied)[]>
  /** Rows of values, some at a time. */
  rows(sql: string): AsyncIterable<readonly (readonly unknown[])[]>
  close(): Promise<void>
}

export interface Step {
  readonly number: number
  readonly name: string
  readonly checksum: string
  readonly applied_at: number
}

/** What would let it be read, where the role may not. */
export interface Denied {
  readonly grant?: string | null | undefined
}

export interface Shape {
  readonly name: string
  readonly columns: readonly string[]
}

/**
 * `id`: public ids, by what they are of. `row`: rows that number themselves, by their table. `ticket`: when a record was
 * written. The value is the last one drawn.
 */
export interface Counter {
  readonly kind: 'id' | 'row' | 'ticket'
  readonly name: string
  readonly value: number
}

/** Rows as they travel: each a JSON array in the order of the columns. */
export interface Portion {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly string[]
}

/** What is known before the first row. */
export interface Contents {
  readonly engine: Still['engine']
  readonly steps: readonly Step[]
  readonly counters: readonly Counter[]
  /** How many rows each table has. */
  readonly counts: Readonly<Record<string, number>>
}

export interface Source extends Contents {
  portions(): AsyncIterable<Portion>
}

export const schemaOf = ({ steps }: Pick<Contents, 'steps'>) => steps.at(-1)?.number ?? 0
export const rowsOf = ({ counts }: Pick<Contents, 'counts'>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
