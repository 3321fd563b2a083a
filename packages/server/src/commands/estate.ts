import { createInstance } from '../areas/instances/index.ts'
import { createModules } from '../areas/modules/index.ts'
import { createSets } from '../areas/sets/index.ts'
import { createBusiness, createLevel } from '../areas/topology/index.ts'
import type { ServeConfig } from '../platform/config.ts'
import { defaultAccount } from '../platform/http/identity/index.ts'
import type { Actor, Storage } from '../platform/storage/index.ts'
import { type CompanyBusiness, company, marketplace, marketplaceSets } from './company.ts'
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
}

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
  const plans = company.map((business, index) => ({ business, sets: share(wanted, index) }))
  if (large) plans.push({ business: marketplace, sets: marketplaceSets })
  const total = plans.reduce((sum, plan) => sum + plan.sets, 0)
  const made: Estate = { businesses: 0, sets: 0, modules: 0 }
  for (const { business, sets } of plans) {
    made.businesses++
    for await (const step of builder.addBusiness(business, sets)) {
      made.sets += step.sets
      made.modules += step.modules
      progress(made.sets, total)
    }
  }
  return made
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
  const change: <T>(work: Parameters<typeof storage.change<T>>[1]) => Promise<T> = (work) => storage.change(actor, work)

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
      await storage.change(actor, (tx) => createLevel(tx, full, config.maxLevels, showing), { chain: 'exclusive' })
    },

    /** Yields after each batch what it has made. */
    async *addBusiness(business: CompanyBusiness, count: number): AsyncGenerator<{ sets: number; modules: number }> {
      const attributes = {
        bk_biz_name: business.name,
        bk_biz_maintainer: business.maintainers,
        bk_biz_developer: business.developers,
        language: '2',
      }
      const bizId = (await change((tx) => createBusiness(tx, attributes, showing))).bk_biz_id as number
      const sites = await addSites(bizId, business)
      const services = Object.entries(business.services)
      for (let first = 0; first < count; first += setsAtOnce) {
        const part = Array.from({ length: Math.min(setsAtOnce, count - first) }, (_, index) => first + index)
        yield await change(async (tx) => {
          let modules = 0
          for (const index of part) {
            const [service, parts] = services[index % services.length] as (typeof services)[number]
            const site = sites[index % sites.length] as number
            const sent = setAttributes(setName(service, Math.floor(index / services.length)), bizId, index)
            const [set] = await createSets(tx, bizId, site, [sent], showing)
            const setId = set?.bk_set_id as number
            await createModules(
              tx,
              { bizId, setId },
              parts.map((name) => ({ bk_module_name: name })),
              showing,
            )
            modules += parts.length
          }
          return { sets: part.length, modules }
        })
      }
    },
  }
}

/** The sets are spread evenly, whatever is left over going to the first businesses. */
const share = (wanted: number, index: number) =>
  Math.floor(wanted / company.length) + (index < wanted % company.length ? 1 : 0)

/** storefront, and as the company grows storefront-2, storefront-3 and so on. */
const setName = (service: string, round: number) => (round === 0 ? service : `${service}-${round + 1}`)

const setAttributes = (name: string, bizId: number, index: number) => ({
  bk_set_name: name,
  bk_capacity: 50 + ((index * 37 + bizId * 11) % 20) * 25,
  bk_set_env: environments[index % environments.length],
  bk_service_status: index % 17 === 16 ? '2' : '1',
  description: `runs ${name}`,
})
