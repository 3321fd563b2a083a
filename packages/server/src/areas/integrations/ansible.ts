import { createHash } from 'node:crypto'
import type { Standing, Walk } from '../queries/index.ts'
import { addressOf, factsOf } from './facts.ts'

interface Listed {
  readonly id: number
  readonly name: string
  readonly groups: readonly Group[]
  /** JSON. */
  readonly variables: string
}
interface Group {
  readonly kind: 'set' | 'module'
  readonly name: string
}

/** What an inventory script prints for `--list`. Groups go by the names of sets and modules: `set_east:&module_web`. */
export async function* inventory({ pages }: Walk): AsyncGenerator<string> {
  const hosts: Listed[] = []
  for await (const page of pages) hosts.push(...page.map(listed))
  const nameOf = namesOfHosts(hosts)
  const groups = groupsOf(hosts, nameOf)

  yield '{"_meta":{"hostvars":{'
  for (let start = 0; start < hosts.length; start += 1_000) {
    const some = hosts.slice(start, start + 1_000).map((host) => `${JSON.stringify(nameOf(host))}:${host.variables}`)
    yield (start === 0 ? '' : ',') + some.join(',')
  }
  yield `}},"all":{"children":${JSON.stringify(['ungrouped', ...groups.keys()])}}`
  for (const [name, members] of groups) yield `,${JSON.stringify(name)}:{"hosts":${JSON.stringify(members)}}`
  yield '}'
}

function listed(row: Standing): Listed {
  const facts = [...factsOf(row)].map(([name, value]) => [`mainline_${name}`, inert(value)])
  const groups = (['set', 'module'] as const).flatMap((kind) =>
    row[kind].map((each) => ({ kind, name: String(each[`bk_${kind}_name`]) })),
  )
  return {
    id: Number(row.host.bk_host_id),
    name: String(row.host.bk_host_name ?? '').replace(/[^\p{L}\p{N}._-]/gu, '_') || addressOf(row),
    groups,
    variables: JSON.stringify({ ansible_host: addressOf(row), ...Object.fromEntries(facts) }),
  }
}

/** Ansible would run templates in variables: whoever may name a host must not run commands where playbooks start. */
const inert = (value: unknown) =>
  typeof value === 'string' && /\{[{%#]/.test(value) ? { __ansible_unsafe: value } : value

/** Two hosts of one name would be one to Ansible: then each has its id behind it. */
function namesOfHosts(hosts: readonly Listed[]): (host: Listed) => string {
  const taken = new Map<string, number>()
  for (const { name } of hosts) taken.set(name, (taken.get(name) ?? 0) + 1)
  return ({ name, id }) => (taken.get(name) === 1 ? name : `${name}_${id}`)
}

function groupsOf(hosts: readonly Listed[], nameOf: (host: Listed) => string): Map<string, string[]> {
  // By the name as it is: names that only look alike once they are made fit for Ansible stay apart.
  const members = new Map<string, { group: Group; hosts: Set<string> }>()
  for (const host of hosts) {
    for (const group of host.groups) {
      const key = `${group.kind} ${group.name}`
      const known = members.get(key) ?? { group, hosts: new Set() }
      members.set(key, known)
      known.hosts.add(nameOf(host))
    }
  }
  const named = [...members.values()]
  const alike = Map.groupBy(named, ({ group }) => fit(group))
  return new Map(
    named.map(({ group, hosts: inside }) => {
      const plain = fit(group)
      const isPlain = plain === `${group.kind}_${group.name}`
      const alone = alike.get(plain)?.length === 1
      return [alone || isPlain ? plain : `${plain}_${mark(group.name)}`, [...inside]]
    }),
  )
}

const fit = ({ kind, name }: Group) => `${kind}_${name.replace(/[^\p{L}\p{N}_]/gu, '_')}`
const mark = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 6)
