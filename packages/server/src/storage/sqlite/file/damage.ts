import { problem, type Rule, rule } from '@mainline/contract'
import { Refusal } from '../../../common/refusal.ts'
import { isDamage } from '../database.ts'

const restoring = "restore the newest backup into another one: 'mainline restore FILE --data-dir DIRECTORY'"

/** The database file is damaged. The message is for operators: it names the file and the next step. */
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

/** Translates an error of SQLite if it shows damage. */
export const orDamaged = (error: unknown, path: string): unknown =>
  isDamage(error) ? new Damaged(path, error.message) : error

/** A command exits with the refusal; a request is answered with this problem, which has the refusal as its cause. */
export const asNotReady = (what: Rule, cause: Refusal) =>
  Object.assign(problem('notReady', { rule: what, retryAfter: 60 }), { cause })

export const notReadyDamaged = (damaged: Damaged) => asNotReady(rule('damaged'), damaged)
