import { type HostInPlace, joined } from '../queries/run/index.ts'

/** Attributes included for every host, besides those that the query shows. */
export const factAttributes = {
  biz: ['bk_biz_name'],
  set: ['bk_set_name'],
  module: ['bk_module_name'],
  host: ['bk_host_innerip', 'bk_cloud_id', 'bk_host_name', 'bk_os_type'],
} as const

const around = ['biz', 'set', 'module'] as const

/**
 * A host under names that other programs accept: `biz`, `set` and `module` for its placement, then attributes without their `bk_`, those
 * of a set as `set_...` and so on. Empty values are left out; if two have the same name, the first one is used.
 */
export function factsOf(row: HostInPlace): Map<string, unknown> {
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

/** Several sets or modules without a value leave only the commas between them. */
const isBlank = (value: unknown) =>
  typeof value === 'string' && (value === '' || (value[0] === ',' && /^,*$/.test(value)))

/** A cache of attribute names: called for every attribute of every host. */
const attributeNames = new Map<string, string>()

function factName(kind: keyof HostInPlace, name: string): string {
  const key = `${kind} ${name}`
  const before = attributeNames.get(key)
  if (before !== undefined) return before
  const short = name.replace(/^bk_/, '').replace(/\W/g, '_')
  const fact = kind === 'host' ? short : `${kind}_${short.replace(`${kind}_`, '')}`
  if (attributeNames.size < 10_000) attributeNames.set(key, fact)
  return fact
}

/** A host may have several inner addresses; the first one is used to reach it. */
export const addressOf = ({ host }: HostInPlace): string => String(host.bk_host_innerip).split(',', 1)[0]?.trim() ?? ''
