import { prepared, type Reader, type Tx } from '../../platform/storage/index.ts'

/** A stored host. */
export interface Host {
  id: number
  account: string
  host_id: number
  /** The business's node. */
  business: number
  cloud: number
  cloud_id: number
  inner_ip: string
  attributes: string
  create_time: number
  last_time: number
}

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
] as const

export const findHost = prepared((reader, { account, hostId }: { account: string; hostId: number }) =>
  reader.selectFrom('host').select(hostColumns).where('host.account', '=', account).where('host.host_id', '=', hostId),
)

/** The hosts in the order in which changes lock them; whoever is not there is left out. */
export const holdHosts = (tx: Tx, hostIds: readonly number[]): Promise<Host[]> =>
  hostsCalled(tx, tx.actor.account, hostIds)
    .$if(tx.dialect.locksRows, (query) => query.forUpdate('host'))
    .execute()

/** The hosts of these ids, as they are; whoever is not there is left out. */
export const findHosts = (reader: Reader, account: string, hostIds: readonly number[]): Promise<Host[]> =>
  hostsCalled(reader, account, hostIds).execute()

const hostsCalled = (reader: Reader, account: string, hostIds: readonly number[]) =>
  reader
    .selectFrom('host')
    .select(hostColumns)
    .where('host.account', '=', account)
    .where((eb) => reader.dialect.among(eb.ref('host.host_id'), hostIds, 'integer'))
    .orderBy('host.id')
