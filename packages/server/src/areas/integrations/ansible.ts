import { createHash } from 'node:crypto'
import { present } from '../../common/present.ts'
import type { HostInPlace, Walk } from '../queries/run/index.ts'
import { addressOf, factsOf } from './facts.ts'

interface Listed {
  readonly id: number
  readonly name: string
  readonly groups: readonly Group[]
  /** JSON text. */
  readonly variables: string
}
interface Group {
  readonly kind: 'set' | 'module'
  readonly name: string
}

/** What an inventory script prints for `--list`. Groups are named after sets and modules: `set_east:&module_web`. */
export async function* inventory({ pages }: Walk): AsyncGenerator<string> {
  const hosts: Listed[] = []
  for await (const page of pages) hosts.push(...page.map(listed))
  const groupName = namesOfGroups(hosts)
  const nameOf = namesOfHosts(hosts, new Set(groupName.values()))
  const groups = membersOf(hosts, groupName, nameOf)

  yield '{"_meta":{"hostvars":{'
  for (let start = 0; start < hosts.length; start += 1_000) {
    const some = hosts.slice(start, start + 1_000).map((host) => `${JSON.stringify(nameOf(host))}:${host.variables}`)
    yield (start === 0 ? '' : ',') + some.join(',')
  }
  yield `}},"all":{"children":${JSON.stringify(['ungrouped', ...groups.keys()])}}`
  for (const [name, members] of groups) yield `,${JSON.stringify(name)}:{"hosts":${JSON.stringify(members)}}`
  yield '}'
}

function listed(row: HostInPlace): Listed {
  const facts = [...factsOf(row)].map(([name, value]) => [`mainline_${name}`, marked(value)])
  const groups = (['set', 'module'] as const).flatMap((kind) =>
    row[kind].map((each) => ({ kind, name: String(each[`bk_${kind}_name`]) })),
  )
  return {
    id: Number(row.host.bk_host_id),
    name: String(row.host.bk_host_name ?? '').replace(/[^\p{L}\p{N}._-]/gu, '_') || addressOf(row),
    groups,
    variables: JSON.stringify({ ansible_host: marked(addressOf(row)), ...Object.fromEntries(facts) }),
  }
}

/**
 * Ansible evaluates templates in variables, so a host name could run commands on the controller. Every text is marked as unsafe, not only
 * those that look like a template: a playbook could join two harmless halves.
 */
const marked = (value: unknown) => (typeof value === 'string' ? { __ansible_unsafe: value } : value)

/**
 * Names with a special meaning: a play for localhost runs on the controller, and Ansible uses host names as file names, for what it fetches and for
 * the variables of a host.
 */
const reserved = ['all', 'ungrouped', 'localhost', '127.0.0.1', '::1', '.', '..']

/** Ansible's JSON decoder replaces an object with such a key by the key's value: one host could replace the variables of all others. */
const isDecoderKey = (name: string) => name.startsWith('__ansible_')

/**
 * Ansible would merge hosts with equal names, and confuse a host with a group of the same name. Such a host gets its id appended; ids are
 * unique, so these names are too.
 */
function namesOfHosts(hosts: readonly Listed[], groups: ReadonlySet<string>): (host: Listed) => string {
  const taken = new Map([...groups, ...reserved].map((name) => [name, 1]))
  for (const { name } of hosts) taken.set(name, (taken.get(name) ?? 0) + 1)
  return ({ name, id }) => {
    if (taken.get(name) === 1 && !isDecoderKey(name)) return name
    let distinct = `${name}_${id}`
    while (taken.has(distinct)) distinct = `${distinct}_${id}`
    return distinct
  }
}

const keyOf = ({ kind, name }: Group) => `${kind} ${name}`
const fit = ({ kind, name }: Group) => `${kind}_${name.replace(/[^\p{L}\p{N}_]/gu, '_')}`
const mark = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 6)

/** By group key. Distinct names stay distinct after they are made valid for Ansible. */
function namesOfGroups(hosts: readonly Listed[]): Map<string, string> {
  const groups = new Map(hosts.flatMap((host) => host.groups.map((group) => [keyOf(group), group])))
  const alike = Map.groupBy(groups.values(), fit)
  const taken = new Set(alike.keys())
  const distinct = (group: Group): string => {
    const plain = fit(group)
    if (alike.get(plain)?.length === 1 || plain === `${group.kind}_${group.name}`) return plain
    let marked = `${plain}_${mark(group.name)}`
    while (taken.has(marked)) marked += '_'
    taken.add(marked)
    return marked
  }
  return new Map([...groups].map(([key, group]) => [key, distinct(group)]))
}

function membersOf(
  hosts: readonly Listed[],
  groupName: ReadonlyMap<string, string>,
  nameOf: (host: Listed) => string,
): Map<string, string[]> {
  const members = new Map([...groupName.values()].map((name) => [name, new Set<string>()]))
  for (const host of hosts) {
    for (const group of host.groups) members.get(present(groupName.get(keyOf(group))))?.add(nameOf(host))
  }
  return new Map([...members].map(([name, inside]) => [name, [...inside]]))
}
