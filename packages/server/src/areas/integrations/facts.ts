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
    const plain = name.replace(/\W/g, '_')
    // Of several sets or modules without a value, only the commas between them are left.
    if (!facts.has(plain) && !/^,*$/.test(String(value ?? ''))) facts.set(plain, value)
  }
  const shown = around.map((kind) => [kind, joined(row[kind])] as const)
  for (const [kind, record] of shown) add(kind, record[`bk_${kind}_name`])
  for (const [name, value] of Object.entries(row.host)) add(short(name), value)
  for (const [kind, record] of shown) {
    for (const [name, value] of Object.entries(record)) {
      if (name !== `bk_${kind}_name`) add(`${kind}_${short(name).replace(`${kind}_`, '')}`, value)
    }
  }
  return facts
}

const short = (name: string) => name.replace(/^bk_/, '')

/** A host may have several inner addresses; the first is the one to reach it by. */
export const addressOf = ({ host }: Standing): string => String(host.bk_host_innerip).split(',', 1)[0]?.trim() ?? ''
