/** A consistent snapshot of a store, while others continue to write. */
export interface StoreSnapshot {
  readonly engine: 'sqlite' | 'postgres'
  /** The applied migrations, in order. */
  readonly steps: readonly AppliedMigration[]
  /** All tables, including those that do not belong to Mainline. */
  tables(): Promise<readonly (Shape & Denied)[]>
  /** The counters of ids and rows, in one form for both engines. */
  counters(): Promise<readonly (Counter & Denied)[]>
  /** Rows as arrays of values, in batches. */
  rows(sql: string): AsyncIterable<readonly (readonly unknown[])[]>
  close(): Promise<void>
}

export interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly checksum: string
  readonly applied_at: number
}

/** The GRANT that is missing, if the role may not read it. */
export interface Denied {
  readonly grant?: string | null | undefined
}

export interface Shape {
  readonly name: string
  readonly columns: readonly string[]
}

/**
 * `id`: public ids by kind. `row`: autoincrement ids by table. `ticket`: tickets of log records. The value is the last one drawn.
 */
export interface Counter {
  readonly kind: 'id' | 'row' | 'ticket'
  readonly name: string
  readonly value: number
}

/** A batch of rows; each is a JSON array in the order of the columns. */
export interface Portion {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly string[]
}

/** Metadata that precedes the rows. */
export interface Contents {
  readonly engine: StoreSnapshot['engine']
  readonly steps: readonly AppliedMigration[]
  readonly counters: readonly Counter[]
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>
}

export interface Source extends Contents {
  portions(): AsyncIterable<Portion>
}

export const schemaOf = ({ steps }: Pick<Contents, 'steps'>) => steps.at(-1)?.number ?? 0
export const tableRows = ({ counts }: Pick<Contents, 'counts'>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
