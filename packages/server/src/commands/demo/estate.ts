import { settleHosts } from '../../areas/hosts/index.ts'
import {
  builtIn,
  createBusiness,
  createInstance,
  createLevel,
  createModules,
  createSets,
  findPool,
} from '../../areas/topology/index.ts'
import type { ServeConfig } from '../../common/config.ts'
import { present } from '../../common/present.ts'
import { lettersOnly } from '../../http/dialect.ts'
import { defaultAccount } from '../../identity/index.ts'
import type { Actor, Storage, Tx } from '../../storage/index.ts'
import type { Progress } from '../progress.ts'
import { type CompanyBusiness, company, marketplace, marketplaceSets } from './company.ts'
import { machine } from './machines.ts'
import { addNamedRecords } from './named-records.ts'

/** The levels of the example company. */
const demoLevels = [
  { id: 'region', name: 'Region', above: 'biz' },
  { id: 'site', name: 'Site', above: 'region' },
]
const environments = ['3', '3', '3', '2', '1']
/** Approximate hosts per set. */
const hostsInSet = 20
const setsAtOnce = 50
/** Percentage of hosts in ordinary modules; the others are idle, faulty, or in the resource pool. */
const workingPercent = 90
const hostsAtOnce = 1_000
/** Up to so many hosts changes run one after the other, so that ids equal those in the examples of the API document. */
const smallEstate = 10_000

interface EstateOptions {
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

/** A range of host numbers; hosts are numbered through the whole estate. */
interface Numbers {
  readonly first: number
  readonly count: number
}

type Tell = (step: Partial<Estate>) => void

type EstateConfig = Pick<ServeConfig, 'timezone' | 'admins' | 'maxLevels'>

/** Fills an account without businesses, through the same services as every request. Deterministic for a given size. */
export async function fillEstate(
  storage: Storage,
  config: EstateConfig,
  { hosts, large = false, progress }: EstateOptions,
): Promise<Estate | undefined> {
  if (await hasBusinesses(storage)) return undefined
  const actor: Actor = { user: config.admins[0] ?? 'admin', account: defaultAccount, requestId: 'demo' }
  const builder = estateBuilder(storage, config, actor)
  for (const level of demoLevels) await builder.addLevel(level)

  const wanted = Math.max(company.flatMap((each) => Object.keys(each.services)).length, Math.ceil(hosts / hostsInSet))
  const plans = company.map((business, index) => ({ business, sets: portion(wanted, company.length, index) }))
  if (large) plans.push({ business: marketplace, sets: marketplaceSets })
  const employed = Math.floor((hosts * workingPercent) / 100)
  const made: Estate = { businesses: 0, sets: 0, modules: 0, hosts: 0 }
  const tell = (step: Partial<Estate>) => {
    made.sets += step.sets ?? 0
    made.modules += step.modules ?? 0
    made.hosts += step.hosts ?? 0
    progress(made.hosts, hosts)
  }
  // SQLite writes one change at a time. A small estate gets the same ids on both engines.
  const changesAtOnce = storage.engine.isShared && hosts > smallEstate ? 6 : 1
  const started: { fill: () => Promise<void> }[] = []
  let first = 0
  for (const [index, { business, sets }] of plans.entries()) {
    // The large business has no hosts: it demonstrates a large tree.
    const own = business === marketplace ? 0 : portion(employed, company.length, index)
    const { fill } = await builder.addBusiness(business)
    const numbers = { first, count: own }
    // Sequentially, because the examples of the documentation name the ids that result.
    if (changesAtOnce === 1) await fill(sets, numbers, tell)
    else started.push({ fill: () => fill(sets, numbers, tell) })
    first += own
    made.businesses++
  }
  await inParallel(changesAtOnce, started, ({ fill }) => fill())
  await inParallel(changesAtOnce, numberRanges(first, hosts), (numbers) => builder.addSpares(numbers, tell))
  await builder.addVacantModule(tell)
  await addNamedRecords(storage, config, actor)
  // Sealed now, not after a minute, so that verification and receipts can be tried immediately.
  await storage.seals.sealAll()
  return made
}

/** Splits a range of numbers into batches. */
function numberRanges(first: number, end: number): Numbers[] {
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

interface NewSet {
  readonly bizId: number
  readonly site: number
  readonly index: number
  readonly name: string
  readonly modules: readonly string[]
}

type Service = readonly [name: string, modules: readonly string[]]

/** A machine of the service, in one of its modules, or in two of them: small services share machines. */
function machineIn(number: number, [service, parts]: Service, ids: readonly number[], maintainers: string) {
  const which = number % parts.length
  const own = present(ids[which])
  const beside = number % 9 === 0 ? ids[(which + 1) % ids.length] : undefined
  const attributes = machine(number, `${service}-${parts[which]}`, maintainers)
  return { attributes, moduleIds: [...new Set([own, beside ?? own])] }
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
        return Number((await createInstance(tx, level, sent, showing)).bk_inst_id)
      })
    for (const [region, names] of Object.entries(regions)) {
      const parent = await add('region', region, bizId)
      for (const name of names) sites.push(await add('site', name, parent))
    }
    return sites
  }

  /** Adds a set with its modules, whose ids are returned. */
  async function addSet(tx: Tx, { bizId, site, index, name, modules }: NewSet): Promise<number[]> {
    const [set] = await createSets(tx, bizId, site, [setAttributes(name, bizId, index)], showing)
    const place = { bizId, setId: Number(set?.bk_set_id) }
    const sent = modules.map((module) => ({ bk_module_name: module }))
    return (await createModules(tx, place, sent, showing)).map((each) => Number(each.bk_module_id))
  }

  return {
    async addLevel(level: (typeof demoLevels)[number]): Promise<void> {
      const full = { ...level, classification: 'bk_biz_topo', icon: 'icon-cc-default' }
      const rules = { most: config.maxLevels, identifiers: lettersOnly }
      await storage.change(actor, (tx) => createLevel(tx, full, rules, showing), { chain: 'exclusive' })
    },

    /** Creates an empty business, and returns a function that adds its sets and hosts and reports each batch. */
    async addBusiness(business: CompanyBusiness) {
      const attributes = {
        bk_biz_name: business.name,
        bk_biz_maintainer: business.maintainers,
        bk_biz_developer: business.developers,
        language: '2',
      }
      const bizId = Number((await change((tx) => createBusiness(tx, attributes, showing))).bk_biz_id)
      const [idle, fault] = [await moduleOf(bizId, builtIn.idle), await moduleOf(bizId, builtIn.fault)]
      places.push({ bizId, idle, fault })
      const sites = await addSites(bizId, business)
      const services = Object.entries(business.services)
      const { vacantSets = 0 } = business
      return {
        async fill(count: number, hosts: Numbers, tell: Tell): Promise<void> {
          let next = hosts.first
          const occupied = count - vacantSets
          /** Adds the sets with these indexes; their hosts have numbers from `firstHost`. */
          const addSets = async (tx: Tx, part: readonly number[], firstHost: number) => {
            let modules = 0
            const machines: Parameters<typeof settleHosts>[2][number][] = []
            for (const index of part) {
              const service = present(services[index % services.length])
              const name = setName(service[0], Math.floor(index / services.length))
              const site = present(sites[index % sites.length])
              const moduleIds = await addSet(tx, { bizId, site, index, name, modules: service[1] })
              modules += moduleIds.length
              const own = index < occupied ? portion(hosts.count, occupied, index) : 0
              for (let left = own; left > 0; left--) {
                machines.push(machineIn(firstHost + machines.length, service, moduleIds, business.maintainers))
              }
            }
            if (machines.length > 0) await settleHosts(tx, bizId, machines, showing)
            return { sets: part.length, modules, hosts: machines.length }
          }
          for (let first = 0; first < count; first += setsAtOnce) {
            const part = Array.from({ length: Math.min(setsAtOnce, count - first) }, (_, index) => first + index)
            const step = await change((tx) => addSets(tx, part, next))
            next += step.hosts
            tell(step)
          }
        },
      }
    },

    /** A module without hosts in the first set of the last business of the company: one that can be deleted. */
    async addVacantModule(tell: Tell): Promise<void> {
      const { bizId } = present(places[company.length - 1])
      const { inst_id: setId } = await storage.read
        .selectFrom('node')
        .select('inst_id')
        .where('account', '=', actor.account)
        .where('object_id', '=', 'set')
        .where('biz_id', '=', bizId)
        .where('built_in', '=', 0)
        .orderBy('inst_id')
        .executeTakeFirstOrThrow()
      await change((tx) => createModules(tx, { bizId, setId }, [{ bk_module_name: 'canary' }], showing))
      tell({ modules: 1 })
    },

    /** Hosts outside of ordinary modules: half of them idle in a business, a few faulty, the rest in the resource pool. */
    async addSpares({ first, count }: Numbers, tell: Tell): Promise<void> {
      const pool = await findPool(storage.read, actor.account)
      const inPool = await moduleOf(pool.bizId, builtIn.idle)
      const spares = Array.from({ length: count }, (_, index) => first + index).map((number) => {
        const place = present(places[number % company.length])
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

/** Divides things evenly; the first ones get one of the remainder each. */
const portion = (things: number, among: number, index: number) =>
  Math.floor(things / among) + (index < things % among ? 1 : 0)

/** storefront, then storefront-2, storefront-3 and so on. */
const setName = (service: string, round: number) => (round === 0 ? service : `${service}-${round + 1}`)

const setAttributes = (name: string, bizId: number, index: number) => ({
  bk_set_name: name,
  bk_capacity: 50 + ((index * 37 + bizId * 11) % 20) * 25,
  bk_set_env: environments[index % environments.length],
  bk_service_status: index % 17 === 16 ? '2' : '1',
  description: `runs ${name}`,
})
