import { associationActionsOf } from './associations.ts'
import type { Client } from './client.ts'
import type { Effect, History, Tally } from './history.ts'
import type { LoadOptions } from './load.ts'
import type { Random } from './random.ts'

export type Actions = readonly { readonly weight: number; run(): Promise<void> }[]

interface Set {
  id: number
  business: number
  modules: number[]
}
interface Host {
  id: number
  /** 0 for the resource pool. */
  business: number
  isIdle: boolean
}

const gone = (object: string, ids: readonly number[]): Effect[] =>
  ids.map((instance) => ({ kind: 'gone', object, instance }))
const changed = (object: string, ids: readonly number[], values: Effect['values'] & object): Effect[] =>
  ids.map((instance) => ({ kind: 'changed', object, instance, values }))

/** The next actions of a client, given what it has created. Records whose state is uncertain are not used again. */
export function actionsOf(client: Client, random: Random, { businesses, receiver, history }: LoadOptions): Actions {
  const sets: Set[] = []
  const hosts: Host[] = []
  const take = <T>(list: T[]): T | undefined =>
    list.length > 0 ? list.splice(random.below(list.length), 1)[0] : undefined
  const some = <T>(list: readonly T[]): T | undefined => (list.length > 0 ? random.among(list) : undefined)
  /** The parents of sets, by business: a level may have been inserted. */
  const parents = new Map<number, number>()
  let addresses = 0
  const address = () => `10.${client.number + 1}.${addresses >> 8}.${addresses++ & 255}`

  async function createSet(): Promise<void> {
    const business = random.among(businesses)
    const [name, capacity] = [`set ${client.fresh()}`, 1 + random.below(1000)]
    const values = { bk_set_name: name, bk_capacity: capacity }
    const body = {
      bk_biz_id: business,
      bk_parent_id: parents.get(business) ?? business,
      bk_supplier_account: '0',
      ...values,
    }
    const made = await client.change<{ bk_set_id: number }>(
      { method: 'POST', path: `/set/${business}`, body },
      {
        what: 'create set',
        business,
        effects: (data) => [{ kind: 'made', object: 'set', ...(data && { instance: data.bk_set_id }), values }],
      },
    )
    if (made.data) sets.push({ id: made.data.bk_set_id, business, modules: [] })
    else if (made.outcome === 'refused') await findParent(business)
  }

  /** The instance of the lowest level above sets, if there is a level. */
  async function findParent(business: number): Promise<void> {
    type Node = { bk_obj_id: string; bk_inst_id: number; child: Node[] }
    const { data } = await client.ask<Node[]>({ method: 'GET', path: `/topo/inst/0/${business}` })
    const below = data?.[0]?.child.find((node) => node.bk_obj_id !== 'set')
    parents.set(business, below?.bk_inst_id ?? business)
  }

  async function updateSet(): Promise<void> {
    const set = some(sets)
    if (!set) return createSet()
    const values = { bk_capacity: 1000 + random.below(900_000_000) }
    await client.change(
      { method: 'PUT', path: `/set/${set.business}/${set.id}`, body: { bk_biz_id: set.business, ...values } },
      { what: 'update set', business: set.business, effects: () => changed('set', [set.id], values) },
    )
  }

  async function deleteSet(): Promise<void> {
    if (sets.length < 5) return createSet()
    const set = take(sets) as Set
    const effects = () => [...gone('set', [set.id]), ...gone('module', set.modules)]
    const told = await client.change(
      { method: 'DELETE', path: `/set/${set.business}/${set.id}` },
      { what: 'delete set', business: set.business, effects },
    )
    // Contains hosts.
    if (told.outcome === 'refused') sets.push(set)
  }

  async function deleteSets(): Promise<void> {
    if (sets.length < 8) return createSet()
    const first = take(sets) as Set
    const both = [first, ...sets.filter((set) => set.business === first.business).slice(0, 1)]
    for (const set of both) if (sets.includes(set)) sets.splice(sets.indexOf(set), 1)
    const ids = both.map((set) => set.id)
    const effects = () => [
      ...gone('set', ids),
      ...gone(
        'module',
        both.flatMap((set) => set.modules),
      ),
    ]
    const told = await client.change(
      { method: 'DELETE', path: `/set/${first.business}/batch`, body: { delete: { inst_ids: ids } } },
      { what: 'batch delete set', business: first.business, effects },
    )
    if (told.outcome === 'refused') sets.push(...both)
  }

  async function createModule(): Promise<void> {
    const set = some(sets)
    if (!set) return createSet()
    const values = { bk_module_name: `module ${client.fresh()}` }
    const made = await client.change<{ bk_module_id: number }>(
      { method: 'POST', path: `/module/${set.business}/${set.id}`, body: values },
      { what: 'create module', effects: () => [{ kind: 'made', object: 'module', values }] },
    )
    if (made.data) set.modules.push(made.data.bk_module_id)
    // It may still exist: its deletion failed or is unknown.
    else if (made.outcome === 'unknown') sets.splice(sets.indexOf(set), 1)
  }

  async function renameModule(): Promise<void> {
    const set = some(sets.filter(({ modules }) => modules.length > 0))
    if (!set) return createModule()
    const id = random.among(set.modules)
    const values = { bk_module_name: `module ${client.fresh()}` }
    await client.change(
      { method: 'PUT', path: `/module/${set.business}/${set.id}/${id}`, body: values },
      { what: 'update module', effects: () => changed('module', [id], values) },
    )
  }

  async function deleteModule(): Promise<void> {
    const set = some(sets.filter(({ modules }) => modules.length > 1))
    if (!set) return createModule()
    const id = take(set.modules) as number
    const told = await client.change(
      { method: 'DELETE', path: `/module/${set.business}/${set.id}/${id}` },
      { what: 'delete module', effects: () => gone('module', [id]) },
    )
    if (told.outcome === 'refused') set.modules.push(id)
    else if (told.outcome === 'unknown') sets.splice(sets.indexOf(set), 1)
  }

  async function addHosts(): Promise<void> {
    const set = some(sets.filter(({ modules }) => modules.length > 0))
    if (!set) return createModule()
    const rows = [address(), address(), address()].map((bk_host_innerip) => ({ bk_host_innerip }))
    const into = { bk_biz_id: set.business, bk_module_id: [random.among(set.modules)] }
    const made = await client.change<{ hosts: Record<string, number> }>(
      { method: 'POST', path: '/hosts/sync/new/host', body: { ...into, host_info: { ...rows } } },
      { what: 'add hosts', effects: () => rows.map((values) => ({ kind: 'made', object: 'host', values })) },
    )
    for (const id of Object.values(made.data?.hosts ?? {})) hosts.push({ id, business: set.business, isIdle: false })
  }

  async function updateHosts(): Promise<void> {
    const ids = hosts.slice(-3).map(({ id }) => id)
    if (ids.length === 0) return addHosts()
    const values = { operator: `user${client.fresh()}` }
    await client.change(
      { method: 'PUT', path: '/hosts/batch', body: { bk_host_id: ids.join(','), ...values } },
      { what: 'update hosts', effects: () => changed('host', ids, values) },
    )
  }

  /** One step in the life of hosts: module, idle, pool, back to a module, or deleted. */
  async function moveHost(): Promise<void> {
    const host = take(hosts)
    if (!host) return addHosts()
    const { path, body, next, what } = step(host)
    const told = await client.change(
      { method: what === 'delete host' ? 'DELETE' : 'POST', path, body },
      { what, effects: () => (what === 'delete host' ? gone('host', [host.id]) : []) },
    )
    if (told.outcome === 'refused') hosts.push(host)
    else if (told.outcome === 'acknowledged' && next) hosts.push(next)
  }

  function step(host: Host): { path: string; body: object; what: string; next?: Host } {
    const named = { bk_biz_id: host.business, bk_host_id: [host.id] }
    if (host.business === 0) {
      const business = random.among(businesses)
      if (random.next() < 0.5) return { path: '/hosts/batch', body: { bk_host_id: `${host.id}` }, what: 'delete host' }
      const body = { bk_biz_id: business, bk_host_id: [host.id] }
      return {
        path: '/hosts/modules/resource/idle',
        body,
        what: 'assign host',
        next: { ...host, business, isIdle: true },
      }
    }
    if (!host.isIdle) {
      return { path: '/hosts/modules/idle', body: named, what: 'move host to idle', next: { ...host, isIdle: true } }
    }
    const module = some(sets.filter(({ business }) => business === host.business).flatMap(({ modules }) => modules))
    if (module === undefined || random.next() < 0.5) {
      const next = { ...host, business: 0, isIdle: false }
      return { path: '/hosts/modules/resource', body: named, what: 'move host to pool', next }
    }
    const body = { ...named, bk_module_id: [module], is_increment: false }
    return { path: '/hosts/modules', body, what: 'move host', next: { ...host, isIdle: false } }
  }

  async function groups(): Promise<void> {
    const path = '/topo/privilege/group/0'
    const values = { group_name: `group ${client.fresh()}`, user_list: 'amy;ben' }
    await client.change(
      { method: 'POST', path, body: values },
      { what: 'create group', effects: () => [{ kind: 'made', object: 'usergroup', values }] },
    )
    type Group = { group_id: string; group_name: string }
    const { data } = await client.ask<Group[]>({
      method: 'POST',
      path: `${path}/search`,
      body: { group_name: `group ${client.number}.` },
    })
    const group = data?.at(-1)
    if (!group) return
    const user_list = `u${client.fresh()}`
    await client.change(
      { method: 'PUT', path: `${path}/${group.group_id}`, body: { user_list } },
      { what: 'update group', effects: () => [{ kind: 'changed', object: 'usergroup', values: { user_list } }] },
    )
    const [oldest] = data ?? []
    if (data && data.length > 3 && oldest) {
      await client.change(
        { method: 'DELETE', path: `${path}/${oldest.group_id}` },
        { what: 'delete group', effects: () => [{ kind: 'gone', object: 'usergroup' }] },
      )
    }
  }

  async function subscriptions(): Promise<void> {
    const path = '/event/subscribe/0/0'
    const values = { subscription_name: `subscription ${client.fresh()}` }
    const body = { ...values, callback_url: receiver, subscription_form: 'modulecreate', timeout: 1 }
    const made = await client.change<{ subscription_id: number }>(
      { method: 'POST', path, body },
      { what: 'subscribe', effects: () => [{ kind: 'made', object: 'subscription', values }] },
    )
    const id = made.data?.subscription_id
    if (id === undefined) return
    await client.change(
      { method: 'DELETE', path: `${path}/${id}` },
      { what: 'unsubscribe', effects: () => gone('subscription', [id]) },
    )
  }

  /** A user of that name has no privileges. */
  const trespass = async () => {
    const business = random.among(businesses)
    const body = {
      bk_biz_id: business,
      bk_parent_id: business,
      bk_supplier_account: '0',
      bk_set_name: `stolen ${client.fresh()}`,
    }
    const asked = random.among([
      { method: 'POST', path: `/set/${business}`, body },
      {
        method: 'POST',
        path: '/topo/privilege/group/0',
        body: { group_name: `stolen ${client.fresh()}`, user_list: 'mallory' },
      },
      { method: 'POST', path: '/hosts/add', body: { host_info: { 1: { bk_host_innerip: address() } } } },
    ])
    await client.change({ ...asked, user: 'mallory' }, { what: 'trespass', forbidden: true, effects: () => [] })
  }

  const look = async () => {
    const business = random.among(businesses)
    const started = performance.now()
    type Node = { bk_obj_id: string; bk_inst_id: number; child: Node[] }
    const { data } = await client.ask<Node[]>({ method: 'GET', path: `/topo/inst/0/${business}` })
    const shown = (node: Node): number[] => (node.bk_obj_id === 'set' ? [node.bk_inst_id] : node.child.flatMap(shown))
    if (data)
      history.looks.push({ business, started, ended: performance.now(), sets: new globalThis.Set(data.flatMap(shown)) })
  }

  const levels = async () => {
    const letters = [...client.fresh()]
      .map((digit) => (digit === '.' ? 'x' : String.fromCharCode(97 + Number(digit))))
      .join('')
    const bk_obj_id = `level${letters}`
    const body = { bk_classification_id: 'bk_biz_topo', bk_obj_id, bk_obj_name: bk_obj_id, bk_asst_obj_id: 'biz' }
    await client.change(
      { method: 'POST', path: '/topo/model/mainline', body },
      { what: 'insert level', effects: () => [{ kind: 'made', object: 'model', values: { bk_obj_id } }] },
    )
    // Whatever the outcome, at most one level exists, and it is removed again.
    type Chain = { bk_obj_id: string }[]
    const { data } = await client.ask<Chain>({ method: 'GET', path: '/topo/model/0' })
    for (const { bk_obj_id: level } of data ?? []) {
      if (!level.startsWith('level')) continue
      await client.change(
        { method: 'DELETE', path: `/topo/model/mainline/owners/0/objectids/${level}` },
        { what: 'remove level', effects: () => [{ kind: 'gone', object: 'model' }] },
      )
    }
  }

  return [
    ...modelActionsOf(client, () => some(sets)),
    ...associationActionsOf(client, random, () => some(hosts)?.id),
    { weight: 6, run: rightOf(client, history, address) },
    { weight: 30, run: createSet },
    { weight: 30, run: updateSet },
    { weight: 12, run: deleteSet },
    { weight: 5, run: deleteSets },
    { weight: 18, run: createModule },
    { weight: 10, run: renameModule },
    { weight: 5, run: deleteModule },
    { weight: 10, run: addHosts },
    { weight: 10, run: updateHosts },
    { weight: 25, run: moveHost },
    { weight: 4, run: groups },
    { weight: 3, run: subscriptions },
    { weight: 4, run: trespass },
    { weight: 12, run: look },
    { weight: 6, run: favouriteOf(client, history) },
    ...(client.number === 0 ? [{ weight: 2, run: levels }] : []),
  ]
}

const notFound = 1199019
const unknownValue = 1199011

/** Attributes of sets are created and deleted. An existing one can be set, a deleted one cannot: on every server, whatever model it has cached. */
function modelActionsOf(client: Client, someSet: () => Set | undefined): Actions {
  const letters = (text: string) => text.replaceAll('.', '_')
  let attribute: string | undefined
  let removed: string | undefined

  const setTo = (id: string, isThere: boolean) => async () => {
    const set = someSet()
    if (!set) return
    const values = { [id]: `value ${client.fresh()}` }
    await client.change(
      { method: 'PUT', path: `/set/${set.business}/${set.id}`, body: { bk_biz_id: set.business, ...values } },
      {
        what: `set an attribute that ${isThere ? 'exists' : 'is removed'}`,
        business: set.business,
        ...(isThere ? { never: unknownValue } : { forbidden: true }),
        effects: () => (isThere ? changed('set', [set.id], values) : []),
      },
    )
  }

  async function add(): Promise<void> {
    const bk_property_id = `load_${letters(client.fresh())}`
    const values = { bk_obj_id: 'set', bk_property_id, bk_property_name: bk_property_id }
    const { outcome } = await client.change(
      {
        method: 'POST',
        path: '/object/attr',
        body: { ...values, bk_supplier_account: '0', bk_property_type: 'singlechar', bk_property_group: 'default' },
      },
      { what: 'create attribute', effects: () => [{ kind: 'made', object: 'model', values }] },
    )
    if (outcome === 'acknowledged') attribute = bk_property_id
  }

  async function remove(id: string): Promise<void> {
    type Found = { id: number; bk_property_id: string }[]
    const body = { bk_supplier_account: '0', bk_obj_id: 'set' }
    const { data } = await client.ask<Found>({ method: 'POST', path: '/object/attr/search', body })
    const found = data?.find((each) => each.bk_property_id === id)
    if (!found) return
    attribute = undefined
    const { outcome } = await client.change(
      { method: 'DELETE', path: `/object/attr/${found.id}` },
      { what: 'delete attribute', effects: () => gone('model', [found.id]) },
    )
    if (outcome === 'acknowledged') removed = id
  }

  return [
    { weight: 3, run: async () => (attribute ? remove(attribute) : add()) },
    { weight: 8, run: async () => (attribute ? setTo(attribute, true)() : add()) },
    { weight: 4, run: async () => (removed ? setTo(removed, false)() : add()) },
  ]
}

interface Guest {
  readonly user: string
  readonly group: string
  /** In the resource pool, where members of the group may edit while it grants that. */
  readonly host: number
}

/**
 * A privilege that is granted, and revoked while it is used, through several servers. The guest has no other one. If the grant or revocation is
 * uncertain, another guest is used next.
 */
function rightOf(client: Client, history: History, address: () => string): () => Promise<void> {
  const path = '/topo/privilege/group'
  let guest: Guest | undefined

  async function invite(): Promise<Guest | undefined> {
    const user = `guest-${client.fresh()}`
    const values = { group_name: user, user_list: user }
    const made = await client.change(
      { method: 'POST', path: `${path}/0`, body: values },
      { what: 'create group', effects: () => [{ kind: 'made', object: 'usergroup', values }] },
    )
    const row = { bk_host_innerip: address() }
    const added = await client.change<{ hosts: Record<string, number> }>(
      { method: 'POST', path: '/hosts/add', body: { host_info: { 0: row } } },
      { what: 'add host', effects: () => [{ kind: 'made', object: 'host', values: row }] },
    )
    const host = added.data?.hosts[0]
    if (made.outcome !== 'acknowledged' || host === undefined) return undefined
    type Groups = { group_id: string }[]
    const found = await client.ask<Groups>({ method: 'POST', path: `${path}/0/search`, body: { group_name: user } })
    const group = found.data?.[0]?.group_id
    return group === undefined ? undefined : { user, group, host }
  }

  const give = ({ group }: Guest, global_busi: readonly string[]) =>
    client.change(
      { method: 'POST', path: `${path}/detail/0/${group}`, body: { sys_config: { global_busi } } },
      {
        what: global_busi.length > 0 ? 'grant' : 'revoke',
        effects: () => [{ kind: 'changed', object: 'privilege', values: { group_id: group, global_busi } }],
      },
    )

  const edit = ({ user, host }: Guest) => {
    const values = { operator: `user${client.fresh()}` }
    return client.change(
      { method: 'PUT', path: '/hosts/batch', body: { bk_host_id: `${host}`, ...values }, user },
      { what: 'edit by a right', effects: () => changed('host', [host], values) },
    )
  }

  return async () => {
    guest ??= await invite()
    if (!guest) return
    const { user } = guest
    const granted = await give(guest, ['resource'])
    // Revoking a privilege that was never granted changes nothing and leaves no record.
    if (granted.outcome !== 'acknowledged') {
      guest = undefined
      return
    }
    const [, revoked] = await Promise.all([edit(guest), give(guest, []), edit(guest)])
    history.grants.push({ user, granted: granted.id, revoked: revoked.id })
    if (revoked.outcome !== 'acknowledged') guest = undefined
  }
}

/** Uses of a favourite are counted without a record: the count must still be correct. */
function favouriteOf(client: Client, history: History): () => Promise<void> {
  const user = `user-${client.number}`
  let own: Tally | undefined
  const create = async () => {
    const body = { name: `favourite ${client.fresh()}` }
    const { data } = await client.ask<{ id: string }>({ method: 'POST', path: '/hosts/favorites', body, user })
    if (!data) return
    // A new one has been used once.
    own = { id: data.id, acknowledged: 1, unknown: 0, deletion: undefined, isMissed: false }
    history.tallies.push(own)
  }
  return async () => {
    if (!own) return create()
    const path = `/hosts/favorites/${own.id}`
    const isDone = own.acknowledged > 20
    const { outcome, code } = await client.ask(
      isDone ? { method: 'DELETE', path, user } : { method: 'PUT', path: `${path}/incr`, user },
    )
    own.isMissed ||= code === notFound
    if (isDone && outcome !== 'refused') {
      own.deletion = outcome
      own = undefined
    } else if (outcome === 'unknown') own.unknown++
    else if (outcome === 'acknowledged') own.acknowledged++
  }
}
