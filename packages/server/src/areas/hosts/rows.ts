import type { Selectable } from 'kysely'
import { prepared, type Reader, type Tables, type Tx } from '../../storage/index.ts'

/** A stored host; its business is a node. */
export type Host = Selectable<Tables['host']>

export const hostColumns = [
  'host.id',
  'host.account',
  'host.host_id',
  'host.business',
  'host.cloud',
  'host.cloud_id',
  'host.inner_ip',
  'host.attributes',
  'host.create_time',
  'host.last_time',
  'host.revision',
] as const

export const findHost = prepared((reader, { account, hostId }: { account: string; hostId: number }) =>
  reader.selectFrom('host').select(hostColumns).where('host.account', '=', account).where('host.host_id', '=', hostId),
)

/** The hosts in locking order; unknown ones are left out. */
export const holdHosts = (tx: Tx, hostIds: readonly number[]): Promise<Host[]> =>
  hostsCalled(tx, tx.actor.account, hostIds)
    .$if(tx.dialect.locksRows, (query) => query.forUpdate('host'))
    .execute()

/** The hosts with these ids; unknown ones are left out. */
export const findHosts = (reader: Reader, account: string, hostIds: readonly number[]): Promise<Host[]> =>
  hostsCalled(reader, account, hostIds).execute()

const hostsCalled = (reader: Reader, account: string, hostIds: readonly number[]) =>
  reader
    .selectFrom('host')
    .select(hostColumns)
    .where('host.account', '=', account)
    .where((eb) => reader.dialect.among(eb.ref('host.host_id'), hostIds, 'integer'))
    .orderBy('host.id')
