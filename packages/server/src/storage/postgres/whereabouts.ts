import { first } from '../../common/present.ts'
import { rowsOf } from '../connection.ts'
import { connectionOf } from '../handles.ts'
import type { Whereabouts } from '../history/place.ts'
import { codeOf } from './connection.ts'

interface ClusterIdentity {
  readonly cluster: string
  readonly segment: string
  readonly database: string
  readonly synchronous: boolean
}

/**
 * Cluster, timeline and database. A promoted standby and a point-in-time recovery start a new timeline, which is the first 8 digits of
 * the current WAL segment's name; a restored dump is another database.
 */
const identityQuery = `SELECT (SELECT system_identifier FROM pg_control_system())::text AS cluster,
  pg_walfile_name(pg_current_wal_insert_lsn()) AS segment,
  (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database,
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') NOT IN ('off', 'local') AS synchronous`

/** A standby has no current WAL segment (55000), and the role may lack the privilege (42501). */
const unanswered = ['42501', '55000']

export const whereaboutsOfPostgres: Whereabouts = {
  async here(reader) {
    try {
      const { rows } = await connectionOf(reader).query(identityQuery, [])
      const { cluster, segment, database, synchronous } = first(rowsOf<ClusterIdentity>(rows))
      return { place: [cluster, Number.parseInt(segment.slice(0, 8), 16), database].join('.'), synchronous }
    } catch (error) {
      if (unanswered.includes(codeOf(error))) return undefined
      throw error
    }
  },
  // Nothing is remembered outside of the database: processes may run on any machine.
  remembered: () => undefined,
  remember: async () => {},
}
