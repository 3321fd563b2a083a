import { backConfigs, globalBusinesses, modelActions, type RolePrivilege, rolePrivileges } from '@mainline/contract'
import { makeBusiness } from '../../packages/server/src/testing/data/factories.ts'
import type { TestServer } from '../../packages/server/src/testing/harness.ts'
import { putHost } from '../../packages/server/src/testing/inspect/rows.ts'

/** Ids that do not exist. */
export const none = 999_999_999

/** An estate with a user for every way in which a privilege can be held. */
export interface World {
  readonly business: number
  readonly pool: number
  /** Hosts of the business, of another one and of the pool. */
  readonly host: number
  readonly otherHost: number
  readonly poolHost: number
  /** A level of the main line, and an instance of it in the business. */
  readonly level: string
  readonly instance: number
  /** An object that is not on the main line. */
  readonly object: string
  /** The group that grants everything a group can grant. */
  readonly group: string
}

/** Each privilege is bound to its own role; maintainers have all of them. */
const roleOf: Record<RolePrivilege, string> = {
  hostupdate: 'bk_biz_productor',
  hosttrans: 'bk_biz_tester',
  topoupdate: 'bk_biz_developer',
  customapi: 'operator',
  proconfig: 'process_manager',
}
/** The lists of all grants that a group can have. */
const entries = [...globalBusinesses, ...backConfigs, ...modelActions]
export type Entry = (typeof entries)[number]

export const people = [
  'stranger',
  'elsewhere',
  'role',
  'otherRoles',
  'maintainer',
  'group',
  'otherGroups',
  'administrator',
] as const
export type Person = (typeof people)[number]

/** The user that has a privilege or an entry. */
export function userOf(person: Person, privilege: RolePrivilege = 'topoupdate', entry: Entry = 'event'): string {
  switch (person) {
    case 'role':
      return `has-${privilege}`
    case 'otherRoles':
      return `lacks-${privilege}`
    case 'otherGroups':
      return `lacks-${entry}`
    case 'administrator':
      return 'admin'
    // A part of a user's name is no user.
    case 'stranger':
      return 'maintain'
    default:
      return person
  }
}

export async function makeWorld(server: TestServer): Promise<World> {
  const must = async <Data = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Data> => {
    const answer = await server.call<Data>(method, path, body)
    if (!answer.result) throw new Error(`${method} ${path}: ${answer.bk_error_msg}`)
    return answer.data
  }
  const attribute = { bk_obj_id: 'biz', bk_property_id: 'process_manager', bk_property_name: 'Process manager' }
  await must('POST', '/object/attr', { ...attribute, bk_property_type: 'objuser' })
  for (const privilege of rolePrivileges) {
    await must('POST', `/topo/privilege/0/biz/${roleOf[privilege]}`, [privilege])
  }
  const level = 'region'
  await must('POST', '/topo/model/mainline', {
    bk_classification_id: 'bk_biz_topo',
    bk_obj_id: level,
    bk_obj_name: 'Region',
    bk_asst_obj_id: 'biz',
  })

  const business = await makeBusiness(server, 'judged')
  const holders = (privilege: RolePrivilege) =>
    [`has-${privilege}`, ...rolePrivileges.filter((each) => each !== privilege).map((each) => `lacks-${each}`)].join()
  await must('PUT', `/biz/0/${business}`, {
    bk_biz_maintainer: 'maintainer',
    ...Object.fromEntries(rolePrivileges.map((each) => [roleOf[each], holders(each)])),
  })
  const other = await makeBusiness(server, 'other')
  await must('PUT', `/biz/0/${other}`, { bk_biz_maintainer: 'elsewhere' })

  const object = 'bk_switch'
  const give = async (name: string, user: string, given: readonly Entry[]) => {
    await must('POST', '/topo/privilege/group/0', { group_name: name, user_list: user })
    const [{ group_id }] = await must<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', {
      group_name: name,
    })
    const among = (list: readonly Entry[]) => list.filter((each) => given.includes(each))
    await must('POST', `/topo/privilege/group/detail/0/${group_id}`, {
      sys_config: { global_busi: among(globalBusinesses) },
      back_config: among(backConfigs),
      model_config: { bk_network: { [object]: among(modelActions) } },
    })
    return group_id
  }
  const group = await give('everything', 'group', entries)
  for (const entry of entries) {
    await give(
      `all but ${entry}`,
      `lacks-${entry}`,
      entries.filter((each) => each !== entry),
    )
  }

  for (const source of ['host', level, object]) {
    for (const target of ['set', object]) {
      const associated = { bk_obj_id: source, bk_asst_obj_id: target, bk_asst_id: 'connect' }
      await must('POST', '/object/association/action/create', associated)
    }
  }
  const inst = { bk_biz_id: business, bk_parent_id: business, bk_inst_name: 'Europe' }
  const { bk_inst_id: instance } = await must<{ bk_inst_id: number }>('POST', `/inst/0/${level}`, inst)
  const pool = await must<{ info: [{ bk_biz_id: number }] }>('POST', '/biz/default/0/search', {})
  const [{ bk_biz_id: poolId }] = pool.info
  return {
    business,
    pool: poolId,
    host: await hostIn(server, business),
    otherHost: await hostIn(server, other),
    poolHost: await hostIn(server, poolId),
    level,
    instance,
    object,
    group,
  }
}

/** A host in the idle module of the business. */
async function hostIn(server: TestServer, business: number): Promise<number> {
  const internal = await server.call<{ module: [{ bk_module_id: number }] }>('GET', `/topo/internal/0/${business}`)
  await putHost(server, internal.data.module[0].bk_module_id)
  const { read } = server.service.storage
  return (await read.selectFrom('host').select('host_id').orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow())
    .host_id
}
