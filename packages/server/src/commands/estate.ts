import { createSets } from '../areas/sets/index.ts'
import { createBusiness } from '../areas/topology/index.ts'
import type { ServeConfig } from '../platform/config.ts'
import { defaultAccount } from '../platform/http/identity.ts'
import type { Actor, Storage } from '../platform/storage/index.ts'
import type { Progress } from './progress.ts'

/** A shop, as one would find it: each business with its people and the sets it runs. */
const company = [
  {
    name: 'Web shop',
    maintainers: 'amy,ben',
    developers: 'ivan,julia',
    sets: ['storefront', 'checkout', 'search', 'catalogue', 'media'],
  },
  {
    name: 'Payments',
    maintainers: 'carla,dmitri',
    developers: 'kofi',
    sets: ['gateway', 'ledger', 'fraud detection', 'settlement'],
  },
  {
    name: 'Logistics',
    maintainers: 'erin',
    developers: 'lena,marc',
    sets: ['warehouse', 'routing', 'labels', 'tracking'],
  },
  {
    name: 'Data platform',
    maintainers: 'farid,grace',
    developers: 'nora',
    sets: ['ingest', 'lake', 'reports', 'features'],
  },
  {
    name: 'Office and tools',
    maintainers: 'hugo',
    developers: 'olga',
    sets: ['mail', 'build farm', 'monitoring', 'wiki'],
  },
]
const regions = ['fra', 'ams', 'sin', 'gru', 'iad']
const environments = ['3', '3', '3', '2', '1']
/** A set of this company holds about so many hosts. */
const hostsInSet = 20
const setsAtOnce = 200

export interface EstateOptions {
  readonly hosts: number
  readonly progress: Progress
}

/** Fills an account that has no business yet, through the same services as every request. The same size gives the same estate. */
export async function fillEstate(
  storage: Storage,
  { timezone, admins }: Pick<ServeConfig, 'timezone' | 'admins'>,
  { hosts, progress }: EstateOptions,
): Promise<{ businesses: number; sets: number } | undefined> {
  const existing = await storage.read
    .selectFrom('business')
    .innerJoin('node', 'node.id', 'business.node')
    .select('business.biz_id')
    .where('business.account', '=', defaultAccount)
    .where('built_in', '=', 0)
    .executeTakeFirst()
  if (existing) return undefined

  const actor: Actor = { user: admins[0] ?? 'admin', account: defaultAccount, requestId: 'demo' }
  const showing = { language: 'en', zone: timezone } as const
  const wanted = Math.max(company.flatMap((each) => each.sets).length, Math.ceil(hosts / hostsInSet))
  let made = 0
  for (const [index, each] of company.entries()) {
    const business = await storage.change(actor, (tx) =>
      createBusiness(
        tx,
        {
          bk_biz_name: each.name,
          bk_biz_maintainer: each.maintainers,
          bk_biz_developer: each.developers,
          language: '2',
        },
        showing,
      ),
    )
    const bizId = business.bk_biz_id as number
    const names = setNames(each.sets, share(wanted, index))
    for (let first = 0; first < names.length; first += setsAtOnce) {
      const sets = names
        .slice(first, first + setsAtOnce)
        .map((name, offset) => attributesOf(name, bizId, first + offset))
      await storage.change(actor, (tx) => createSets(tx, bizId, bizId, sets, showing))
      made += Math.min(setsAtOnce, names.length - first)
      progress(made, wanted)
    }
  }
  return { businesses: company.length, sets: made }
}

/** The sets are spread evenly, whatever is left over going to the first businesses. */
const share = (wanted: number, index: number) =>
  Math.floor(wanted / company.length) + (index < wanted % company.length ? 1 : 0)

/** storefront, checkout, ... and, as the company grows, storefront-fra-2, storefront-ams-2 and so on. */
function setNames(services: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const service = services[index % services.length] as string
    const round = Math.floor(index / services.length)
    if (round === 0) return service
    return `${service}-${regions[(round - 1) % regions.length]}-${Math.floor((round - 1) / regions.length) + 1}`
  })
}

const attributesOf = (name: string, bizId: number, index: number) => ({
  bk_set_name: name,
  bk_capacity: 50 + ((index * 37 + bizId * 11) % 20) * 25,
  bk_set_env: environments[index % environments.length],
  bk_service_status: index % 17 === 16 ? '2' : '1',
  description: `${name} in ${regions[index % regions.length]}`,
})
