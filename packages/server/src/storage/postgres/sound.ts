import { first } from '../../common/present.ts'
import { Refusal } from '../../common/refusal.ts'
import { rowsOf } from '../connection.ts'
import type { DatabaseAddress } from './address.ts'
import type { Queryable } from './connection.ts'

interface ServerSettings {
  readonly version: number
  readonly read_only: string
  readonly ticket_cache: string | null
}

const oldestVersion = 15

const settingsQuery = `SELECT current_setting('server_version_num')::int / 10000 AS version,
  current_setting('transaction_read_only') AS read_only,
  (SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass('log_ticket')) AS ticket_cache`

/** Refuses a database whose settings break the guarantees of the log. The isolation level is not checked: every BEGIN sets it. */
export async function expectSound(database: Queryable, { label }: DatabaseAddress): Promise<void> {
  const found = first(rowsOf<ServerSettings>((await database.query({ text: settingsQuery })).rows))
  const refuse = (why: string) => {
    throw new Refusal(`The database at ${label} cannot be used: ${why}`)
  }
  if (found.version < oldestVersion) refuse(`it is PostgreSQL ${found.version}. Use ${oldestVersion} or newer.`)
  if (found.read_only === 'on') {
    refuse(
      'it takes no changes: it is a standby, or default_transaction_read_only is on. Name the primary, ' +
        'or name all hosts and add target_session_attrs=read-write.',
    )
  }
  if (found.ticket_cache !== null && Number(found.ticket_cache) !== 1) {
    refuse(
      `its sequence log_ticket hands each session ${found.ticket_cache} numbers ahead, so the log would not be in the order ` +
        'of its changes. Run: ALTER SEQUENCE log_ticket CACHE 1;',
    )
  }
}
