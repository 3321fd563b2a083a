import { sql } from 'kysely'
import { Page } from '../../platform/http/page.ts'
import { cached, prepared, type Reader, type Storage } from '../../platform/storage/index.ts'
import type { Business } from '../topology/index.ts'

/** By object, then by public id; what has no hosts is left out. */
type HostCounts = Record<string, Record<number, number>>

interface Turn {
  readonly running: Promise<Page>
  next?: Promise<Page>
}

const turns = new WeakMap<Storage, Map<string, Turn>>()

/** How many hosts stand in each instance of a business, as it is sent. */
export const hostCounts = (storage: Storage, { node }: Business): Promise<Page> =>
  counting(storage, `hosts of ${node}`, (reader) => countHosts(reader, node))

/** How many hosts each living business has, as it is sent. */
export const businessHostCounts = (storage: Storage, account: string): Promise<Page> =>
  counting(storage, `hosts of businesses of ${account}`, async (reader) => {
    const rows = await countedByBusiness(reader, { account })
    return Object.fromEntries(rows.map(({ biz_id, hosts }) => [biz_id, Number(hosts)]))
  })

/**
 * Hosts come and go without counting as changes of their business, so a count is remembered only where one process sees every
 * change. Otherwise one count of a kind runs at a time: whoever asks meanwhile shares the next, which begins after they asked
 * and so has seen all that they have.
 */
async function counting(storage: Storage, key: string, count: (reader: Reader) => Promise<object>): Promise<Page> {
  const { read, heavy } = storage
  const load = async () => new Page(await count(heavy))
  const stamp = read.generation?.()
  return stamp === undefined ? inTurn(storage, key, load) : cached(read, key, stamp, load)
}

function inTurn(storage: Storage, key: string, count: () => Promise<Page>): Promise<Page> {
  const taken = turns.get(storage) ?? new Map<string, Turn>()
  turns.set(storage, taken)
  const begin = (): Promise<Page> => {
    const turn: Turn = { running: count() }
    taken.set(key, turn)
    const end = () => {
      if (!turn.next) taken.delete(key)
    }
    turn.running.then(end, end)
    return turn.running
  }
  const current = taken.get(key)
  if (!current) return begin()
  current.next ??= current.running.then(begin, begin)
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

/** One statement, so that all of it is of one moment: modules, then sets with every level above them, then the business. */
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
