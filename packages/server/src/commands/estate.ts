import { settleHosts } from '../areas/hosts/index.ts'
import { createInstance } from '../areas/instances/index.ts'
import { createModules } from '../areas/modules/index.ts'
import { createSets } from '../areas/sets/index.ts'
import { builtIn, createBusiness, createLevel, findPool } from '../areas/topology/index.ts'
import type { ServeConfig } from '../platform/config.ts'
import { lettersOnly } from '../platform/http/compat.ts'
import { defaultAccount } from '../platform/http/identity/index.ts'
import type { Actor, Storage } from '../platform/storage/index.ts'
import { type CompanyBusiness, company, marketplace, marketplaceSets } from './company.ts'
import { machine } from './machines.ts'
import { addNamedRecords } from './named-records.ts'
import type { Progress } from './progress.ts'

/** The levels between a business of this company and its sets. */
const levels = [
  { id: 'region', name: 'Region', above: 'biz' },
  { id: 'site', name: 'Site', above: 'region' },
]
const environments = ['3', '3', '3', '2', '1']
/** A set of this company holds about so many hosts. */
const hostsInSet = 20
const setsAtOnce = 50
/** Of a hundred hosts, so many work in a module; the others stand idle, are broken, or belong to nobody yet. */
const working = 90
const hostsAtOnce = 1_000
/** Up to so many hosts the estate is filled by one change after the other, so that the examples of the API document name its ids. */
const smallEstate = 10_000

export interface EstateOptions {
  readonly hosts: number
  /** Adds a business of 10,000 nodes. */
  readonly large?: boolean
  readonly progress: Progress
}

export interface Estate {
  businesses: number
  sets: number
  modules: number
  hosts: number
}

/** Hosts are numbered through the whole estate: these are so many from the first on. */
interface Numbers {
  readonly first: number
  readonly count: number
}

type Tell = (step: Partial<Estate>) => void

type EstateConfig = Pick<ServeConfig, 'timezone' | 'admins' | 'maxLevels'>

/** Fills an account that has no business yet, through the same services as every request. The same size gives the same estate. */
export async function fillEstate(
  storage: Storage,
  config: EstateConfig,
  { hosts, large = false, progress }: EstateOptions,
): Promise<Estate | undefined> {
  if (await hasBusinesses(storage)) return undefined
  const actor: Actor = { user: config.admins[0] ?? 'admin', account: defaultAccount, requestId: 'demo' }
  const builder = estateBuilder(storage, config, actor)
  for (const level of levels) await builder.addLevel(level)

  const wanted = Math.max(company.flatMap((each) => Object.keys(each.services)).length, Math.ceil(hosts / hostsInSet))
  const plans = company.map((business, index) => ({ business, sets: portion(wanted, company.length, index) }))
  if (large) plans.push({ business: marketplace, sets: marketplaceSets })
  const employed = Math.floor((hosts * working) / 100)
  const made: Estate = { businesses: 0, sets: 0, modules: 0, hosts: 0 }
  const tell = (step: Partial<Estate>) => {
    made.sets += step.sets ?? 0
    made.modules += step.modules ?? 0
    made.hosts += step.hosts ?? 0
    progress(made.hosts, hosts)
  }
  // Where one change at a time writes, the next only waits. A small estate gets the same ids on both engines.
  const changesAtOnce = storage.read.dialect.locksRows && hosts > smallEstate ? 6 : 1
  const started: { fill: () => Promise<void> }[] = []
  let first = 0
  for (const [index, { business, sets }] of plans.entries()) {
    // The large business has no hosts: it is there for its tree.
    const own = business === marketplace ? 0 : portion(employed, company.length, index)
    const { fill } = await builder.addBusiness(business)
    const numbers = { first, count: own }
    // One after the other they are filled as they come: the examples of the documentation name the ids that this gives.
    if (changesAtOnce === 1) await fill(sets, numbers, tell)
    else started.push({ fill: () => fill(sets, numbers, tell) })
    first += own
    made.businesses++
  }
  await inParallel(changesAtOnce, started, ({ fill }) => fill())
  await inParallel(changesAtOnce, partsOf(first, hosts), (numbers) => builder.addSpares(numbers, tell))
  await addNamedRecords(storage, config, actor)
  return made
}

/** The numbers from the first up to the end, so many at once. */
function partsOf(first: number, end: number): Numbers[] {
  const count = Math.ceil((end - first) / hostsAtOnce)
  return Array.from({ length: count }, (_, index) => first + index * hostsAtOnce).map((start) => ({
    first: start,
    count: Math.min(hostsAtOnce, end - start),
  }))
}

async function inParallel<T>(most: number, things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
  const left = things.values()
  const one = async () => {
    for (const thing of left) await work(thing)
  }
  await Promise.all(Array.from({ length: most }, one))
}

async function hasBusinesses(storage: Storage): Promise<boolean> {
  const existing = await storage.read
    .selectFrom('node')
    .select('inst_id')
    .where('account', '=', defaultAccount)
    .where('object_id', '=', 'biz')
    .where('built_in', '=', 0)
    .executeTakeFirst()
  return existing !== undefined
}

function estateBuilder(storage: Storage, config: EstateConfig, actor: Actor) {
  const showing = { language: 'en', zone: config.timezone } as const
  const change: <T>(work: Parameters<typeof storage.change<T>>[1]) => Promise<T> = (work) =>
    storage.change(actor, work, { bulk: true })
  const places: { bizId: number; idle: number; fault: number }[] = []

  const moduleOf = async (bizId: number, kind: number): Promise<number> => {
    const found = await storage.read
      .selectFrom('node')
      .select('inst_id')
      .where('account', '=', actor.account)
      .where('object_id', '=', 'module')
      .where('biz_id', '=', bizId)
      .where('built_in', '=', kind)
      .executeTakeFirstOrThrow()
    return found.inst_id
  }

  async function addSites(bizId: number, { regions }: CompanyBusiness): Promise<number[]> {
    const sites: number[] = []
    const add = (level: string, name: string, parentId: number) =>
      change(async (tx) => {
        const sent = { bk_inst_name: name, bk_biz_id: bizId, bk_parent_id: parentId }
        return (await createInstance(tx, level, sent, showing)).bk_inst_id as number
      })
    for (const [region, names] of Object.entries(regions)) {
      const parent = await add('region', region, bizId)
      for (const name of names) sites.push(await add('site', name, parent))
    }
    return sites
  }

  return {
    async addLevel(level: (typeof levels)[number]): Promise<void> {
      const full = { ...level, classification: 'bk_biz_topo', icon: 'icon-cc-default' }
      const rules = { most: config.maxLevels, identifiers: lettersOnly }
      await storage.change(actor, (tx) => createLevel(tx, full, rules, showing), { chain: 'exclusive' })
    },

    /** An empty business, and how to fill it: with sets of hosts, telling after each batch what it has made. */
    async addBusiness(business: CompanyBusiness) {
      const attributes = {
        bk_biz_name: business.name,
        bk_biz_maintainer: business.maintainers,
        bk_biz_developer: business.developers,
        language: '2',
      }
      const bizId = (await change((tx) => createBusiness(tx, attributes, showing))).bk_biz_id as number
      const [idle, fault] = [await moduleOf(bizId, builtIn.idle), await moduleOf(bizId, builtIn.fault)]
      places.push({ bizId, idle, fault })
      const sites = await addSites(bizId, business)
      const services = Object.entries(business.services)
      const { vacantSets = 0 } = business
      return {
        async fill(count: number, hosts: Numbers, tell: Tell): Promise<void> {
          let next = hosts.first
          for (let first = 0; first < count; first += setsAtOnce) {
            const part = Array.from({ length: Math.min(setsAtOnce, count - first) }, (_, index) => first + index)
            const step = await change(async (tx) => {
              let modules = 0
              const machines: Parameters<typeof settleHosts>[2][number][] = []
              for (const index of part) {
                const [service, parts] = services[index % services.length] as (typeof services)[number]
                const site = sites[index % sites.length] as number
                const sent = setAttributes(setName(service, Math.floor(index / services.length)), bizId, index)
                const [set] = await createSets(tx, bizId, site, [sent], showing)
                const setId = set?.bk_set_id as number
                const made = await createModules(
                  tx,
                  { bizId, setId },
                  parts.map((name) => ({ bk_module_name: name })),
                  showing,
                )
                modules += parts.length
                const ids = made.map((each) => each.bk_module_id as number)
                const occupied = count - vacantSets
                const own = index < occupied ? portion(hosts.count, occupied, index) : 0
                for (let left = own; left > 0; left--) {
                  const number = next + machines.length
                  const which = number % parts.length
                  const attributes = machine(number, `${service}-${parts[which]}`, business.maintainers)
                  // Small services share machines.
                  const beside = number % 9 === 0 ? ids[(which + 1) % ids.length] : undefined
                  const moduleIds = [...new Set([ids[which] as number, beside ?? (ids[which] as number)])]
                  machines.push({ attributes, moduleIds })
                }
              }
              if (machines.length > 0) await settleHosts(tx, bizId, machines, showing)
              return { sets: part.length, modules, hosts: machines.length }
            })
            next += step.hosts
            tell(step)
          }
        },
      }
    },

    /** Hosts that work nowhere: half of them idle in a business, a few broken, the rest in the resource pool. */
    async addSpares({ first, count }: Numbers, tell: Tell): Promise<void> {
      const pool = await findPool(storage.read, actor.account)
      const inPool = await moduleOf(pool.bizId, builtIn.idle)
      const spares = Array.from({ length: count }, (_, index) => first + index).map((number) => {
        const place = places[number % company.length] as (typeof places)[number]
        const attributes = machine(number, 'spare', '')
        if (number % 20 === 0) return { bizId: place.bizId, attributes, moduleIds: [place.fault] }
        if (number % 2 === 0) return { bizId: place.bizId, attributes, moduleIds: [place.idle] }
        return { bizId: pool.bizId, attributes, moduleIds: [inPool] }
      })
      for (const [bizId, hosts] of Map.groupBy(spares, (spare) => spare.bizId)) {
        await change((tx) => settleHosts(tx, bizId, hosts, showing))
      }
      tell({ hosts: count })
    },
  }
}

/** So many things among so many: evenly, whatever is left over going to the first. */
const portion = (things: number, among: number, index: number) =>
  Math.floor(things / among) + (index < things % among ? 1 : 0)

/** storefront, and as the company grows storefront-2, storefront-3 and so on. */
const setName = (service: string, round: number) => (round === 0 ? service : `${service}-${round + 1}`)

const setAttributes = (name: string, bizId: number, index: number) => ({
  bk_set_name: name,
  bk_capacity: 50 + ((index * 37 + bizId * 11) % 20) * 25,
  bk_set_env: environments[index % environments.length],
  bk_service_status: index % 17 === 16 ? '2' : '1',
  description: `runs ${name}`,
})
