import { type Language, type Words, words } from '@mainline/contract'
import type { Alias } from '../../../condition/condition.ts'

/** Values of `default` that mark built-in instances. */
export const builtIn = { pool: 1, idlePool: 1, idle: 1, fault: 2, defaultArea: 1 } as const

/** Built-in instances, by object and `default`: stored in English, shown in the caller's language. */
const names: Record<string, Record<number, Words>> = {
  biz: { [builtIn.pool]: words('resource pool', '资源池') },
  set: { [builtIn.idlePool]: words('idle pool', '空闲机池') },
  plat: { [builtIn.defaultArea]: words('default area', '默认区域') },
  module: { [builtIn.idle]: words('idle machine', '空闲机'), [builtIn.fault]: words('fault machine', '故障机') },
}

export function builtInName(object: string, kind: number): string {
  const name = names[object]?.[kind]
  if (!name) throw new Error(`no built-in ${object} ${kind}`)
  return name.en
}

export function shownName(object: string, kind: number, stored: string, language: Language): string {
  return kind === 0 ? stored : (names[object]?.[kind]?.[language] ?? stored)
}

/** The unique key of a name among siblings: a built-in name is taken in every language. */
export function nameKey(object: string, name: string): string {
  const known = Object.values(names[object] ?? {}).find((each) => Object.values(each).includes(name))
  return known ? known.en : name
}

/** The names in other languages under which a condition finds built-in rows. */
export const aliases = (object: string): Alias[] =>
  Object.entries(names[object] ?? {}).map(([kind, name]) => ({ builtIn: Number(kind), name: name['zh-cn'] }))
