import { joined, type Standing } from '../queries/index.ts'

/** What is told of every host, besides what the query shows. */
export const factAttributes = {
  biz: ['bk_biz_name'],
  set: ['bk_set_name'],
  module: ['bk_module_name'],
  host: ['bk_host_innerip', 'bk_cloud_id', 'bk_host_name', 'bk_os_type'],
} as const

const around = ['biz', 'set', 'module'] as const

/**
 * A host in names that other programs can take: `biz`, `set` and `module` for what it stands in, then attributes without
 * their `bk_`, those of a set as `set_...` and so on. What is empty is left out; where two would have one name, the first has it.
 */
export function factsOf(row: Standing): Map<string, unknown> {
  const facts = new Map<string, unknown>()
  const add = (name: string, value: unknown) => {
    if (value !== null && value !== undefined && !facts.has(name) && !isBlank(value)) facts.set(name, value)
  }
  const shown = around.map((kind) => [kind, joined(row[kind])] as const)
  for (const [kind, record] of shown) add(kind, record[`bk_${kind}_name`])
  for (const name in row.host) add(factName('host', name), row.host[name])
  for (const [kind, record] of shown) {
    for (const name in record) if (name !== `bk_${kind}_name`) add(factName(kind, name), record[name])
  }
  return facts
}

/** Of several sets or modules without a value, only the commas between them are left. */
const isBlank = (value: unknown) =>
  typeof value === 'string' && (value === '' || (value[0] === ',' && /^,*$/.test(value)))

/** Asked for every attribute of every host, so not thought out again; there are as many as attributes. */
const known = new Map<string, string>()

function factName(kind: keyof Standing, name: string): string {
  const key = `${kind} ${name}`
  const before = known.get(key)
  if (before !== undefined) return before
  const short = name.replace(/^bk_/, '').replace(/\W/g, '_')
  const fact = kind === 'host' ? short : `${kind}_${short.replace(`${kind}_`, '')}`
  if (known.size < 10_000) known.set(key, fact)
  return fact
}

/** A host may have several inner addresses; the first is the one to reach it by. */
export const addressOf = ({ host }: Standing): string => String(host.bk_host_innerip).split(',', 1)[0]?.trim() ?? ''
