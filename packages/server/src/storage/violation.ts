/** A violated constraint of the schema. Services map it to a problem by the constraint's name. */
export class Violation extends Error {
  readonly rule: 'unique' | 'foreign'
  readonly constraint: string | undefined

  constructor(rule: 'unique' | 'foreign', constraint: string | undefined, cause: unknown) {
    super(`${rule} constraint ${constraint ?? '(unnamed)'}`, { cause })
    this.name = 'Violation'
    this.rule = rule
    this.constraint = constraint
  }
}

/**
 * Maps constraint violations to problems: `await refuse(insert, { node_sibling_name: () => problem('duplicate', ...) })`.
 * SQLite does not name the violated foreign key, so the only foreign key among the translations is assumed.
 */
export async function refuse<T>(statement: Promise<T>, translations: Record<string, () => Error>): Promise<T> {
  try {
    return await statement
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    const translate = error.constraint === undefined ? Object.values(translations)[0] : translations[error.constraint]
    throw translate === undefined ? error : translate()
  }
}
