// The instance that a command about history names: `set 12`.
import type { Given } from './flags.ts'
import { misused, wordsOf } from './usage.ts'

export interface NamedInstance {
  readonly bk_obj_id: string
  readonly bk_inst_id: number
}

/** Undefined if no arguments were given. */
export function instanceIn(given: Given, command: string): NamedInstance | undefined {
  const [object, id] = wordsOf(given, command, 2)
  if (object === undefined) return undefined
  if (id === undefined || !/^[1-9]\d{0,15}$/.test(id)) {
    throw misused(`An instance is named by its object and its id: 'mainline ${command} set 12'.`)
  }
  return { bk_obj_id: object, bk_inst_id: Number(id) }
}

export function neededInstance(given: Given, command: string): NamedInstance {
  const instance = instanceIn(given, command)
  if (!instance) throw misused(`The instance is missing: 'mainline ${command} set 12'.`)
  return instance
}

interface PlacedModule {
  readonly bk_biz_id: number
  readonly bk_biz_name: string
  readonly bk_set_name: string
  readonly bk_module_name: string
}

/** `storefront / web → checkout / api`, with the businesses where they differ. */
export function routeText(left: readonly PlacedModule[], entered: readonly PlacedModule[]): string {
  const businesses = new Set([...left, ...entered].map((module) => module.bk_biz_id))
  const path = (module: PlacedModule) =>
    [...(businesses.size > 1 ? [module.bk_biz_name] : []), module.bk_set_name, module.bk_module_name].join(' / ')
  return [left, entered].map((modules) => modules.map(path).join(', ') || '(none)').join(' → ')
}
