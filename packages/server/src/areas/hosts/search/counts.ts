import type { DataOf, topology } from '@mainline/contract'
import { sql } from 'kysely'
import { sharedOrAnew } from '../../../common/concurrency/shared-work.ts'
import { Page } from '../../../http/page.ts'
import { cached, prepared, type Reader, type Storage } from '../../../storage/index.ts'
import type { Business } from '../../topology/index.ts'

/** By object, then by public id; instances without hosts are left out. */
type HostCounts = DataOf<typeof topology.getHostCounts>
type BusinessHostCounts = DataOf<typeof topology.getBusinessHostCounts>

interface Turn<Counts> {
  readonly running: Promise<Page<Counts>>
  next?: Promise<Page<Counts>>
}
type Turns<Counts> = WeakMap<Storage, Map<string, Turn<Counts>>>

const turns: Turns<HostCounts> = new WeakMap()
const turnsOfBusinesses: Turns<BusinessHostCounts> = new WeakMap()

/** The number of hosts in each instance of a business, as JSON text. */
export const hostCounts = (storage: Storage, { node }: Business): Promise<Page<HostCounts>> =>
  counting(storage, turns, `hosts of ${node}`, (reader) => countHosts(reader, node))

/** The number of hosts in each business that is not archived, as JSON text. */
export const businessHostCounts = (storage: Storage, account: string): Promise<Page<BusinessHostCounts>> =>
  counting(storage, turnsOfBusinesses, `hosts of businesses of ${account}`, async (reader) => {
    const rows = await countedByBusiness(reader, { account })
    return Object.fromEntries(rows.map(({ biz_id, hosts }) => [biz_id, Number(hosts)]))
  })

/**
 * Changes of hosts do not change the version of their business, so counts are cached only where one process sees every change. Otherwise only one
 * count of each type runs at a time: requests that arrive meanwhile share the next one, which starts after they arrived and so includes all that
 * their callers have seen.
 */
async function counting<Counts>(
  storage: Storage,
  turns: Turns<Counts>,
  key: string,
  count: (reader: Reader) => Promise<Counts>,
): Promise<Page<Counts>> {
  const { read, heavy } = storage
  const load = async () => new Page(await count(heavy))
  const stamp = read.generation()
  return stamp === undefined ? inTurn(storage, turns, key, load) : cached(read, key, stamp, load)
}

function inTurn<Counts>(
  storage: Storage,
  turns: Turns<Counts>,
  key: string,
  count: () => Promise<Page<Counts>>,
): Promise<Page<Counts>> {
  const taken = turns.get(storage) ?? new Map<string, Turn<Counts>>()
  turns.set(storage, taken)
  const begin = (): Promise<Page<Counts>> => {
    const turn: Turn<Counts> = { running: count() }
    taken.set(key, turn)
    const end = () => {
      if (!turn.next) taken.delete(key)
    }
    turn.running.then(end, end)
    return turn.running
  }
  const current = taken.get(key)
  if (!current) return begin()
  if (current.next) return sharedOrAnew(current.next, () => inTurn(storage, turns, key, count))
  current.next = current.running.then(begin, begin)
  return current.next
}

const countedByBusiness = prepared((reader, { account }: { account: string }) =>
  reader
    .selectFrom('business')
    .innerJoin('host', 'host.business', 'business.node')
    .where('business.account', '=', account)
    .where('business.living_name', 'is not', null)
    .select((eb) => ['business.biz_id', eb.fn.countAll().as('hosts')])
    .groupBy('business.biz_id'),
)

interface Counted {
  object_id: string
  inst_id: number
  hosts: number
}

/** One statement, for a consistent result: modules, then sets with all levels above them, then the business. */
const counted = prepared((reader, { business }: { business: number }) =>
  reader
    .selectFrom(
      sql<Counted>`(
        WITH RECURSIVE under (top, set_node) AS (
          SELECT id, id FROM node WHERE business = ${business} AND object_id = 'set'
          UNION ALL
          SELECT above.id, under.set_node FROM under
            JOIN node AS below ON below.id = under.top
            JOIN node AS above ON above.id = below.parent
            WHERE above.business = ${business}
        )
        SELECT node.object_id, node.inst_id, count(*) AS hosts
          FROM node JOIN placement ON placement.module = node.id
          WHERE node.business = ${business} AND node.object_id = 'module'
          GROUP BY node.id, node.object_id, node.inst_id
        UNION ALL
        SELECT node.object_id, node.inst_id, count(DISTINCT placement.host)
          FROM under JOIN placement ON placement.set_node = under.set_node JOIN node ON node.id = under.top
          GROUP BY node.id, node.object_id, node.inst_id
        UNION ALL
        SELECT node.object_id, node.inst_id, count(*)
          FROM host JOIN node ON node.id = host.business
          WHERE host.business = ${business}
          GROUP BY node.id, node.object_id, node.inst_id
      )`.as('counted'),
    )
    .select('counted.object_id')
    .select((eb) => reader.dialect.objectText(eb.ref('counted.inst_id'), eb.ref('counted.hosts')).as('counts'))
    .groupBy('counted.object_id'),
)

async function countHosts(reader: Reader, business: number): Promise<HostCounts> {
  const rows = await counted(reader, { business })
  return Object.fromEntries(rows.map(({ object_id, counts }) => [object_id, JSON.parse(counts)]))
}
