import { problem, type Rule, rule } from '@mainline/contract'
import { Refusal } from '../../refusal.ts'
import { isDamage } from './database.ts'

const restoring = "restore the newest backup into another one: 'mainline restore FILE --data-dir DIRECTORY'"

/** The database file cannot be trusted any more. For the operator: it names the file and the next step. */
export class Damaged extends Refusal {
  constructor(path: string, found: string) {
    super(`The database ${path} is damaged: ${found}. Keep a copy of its directory, and ${restoring}.`)
  }

  static indexes(path: string, found: string): Damaged {
    const damaged = new Damaged(path, found)
    damaged.message =
      `Indexes of the database ${path} are damaged, its tables are not: ${found}. ` +
      "Stop the server, save the tables with 'mainline backup FILE', and restore that into another directory, " +
      "which makes new indexes: 'mainline restore FILE --data-dir DIRECTORY'."
    return damaged
  }
}

/** What SQLite has thrown, in our own words where it shows damage. */
export const orDamaged = (error: unknown, path: string): unknown =>
  isDamage(error) ? new Damaged(path, error.message) : error

/** A command ends with the refusal; a request is answered with the problem, whose cause the refusal is. */
export const asNotReady = (what: Rule, cause: Refusal) =>
  Object.assign(problem('notReady', { rule: what, retryAfter: 60 }), { cause })

export const notReadyDamaged = (damaged: Damaged) => asNotReady(rule('damaged'), damaged)
