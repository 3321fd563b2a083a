// Names of instances that a record gives by their ids only.
import type { Reader } from '../../../storage/index.ts'
import { nameIn, nodeKey, readLiveRows, text } from '../recorded/index.ts'
import { logOf } from './members.ts'
import type { PlacedModule } from './parts.ts'

type NameOf = (object: string, id: number) => string

/** Of those that exist, their names now; of others the last one. */
async function namesOf(reader: Reader, account: string, keys: ReadonlySet<string>): Promise<NameOf> {
  const wanted = [...keys]
  const rows = await readLiveRows(reader, account, 'node', wanted)
  const names = new Map([...rows].map(([key, row]) => [key, text(row, 'name')]))
  for (const key of wanted.filter((each) => !names.has(each)).slice(0, maxLookedUp)) {
    const [object = '', id] = key.split(' ')
    const record = await logOf(reader, account)
      .select(['object_id', 'content', 'ext_key'])
      .where('object_id', '=', object)
      .where('inst_id', '=', Number(id))
      .orderBy('op_time', 'desc')
      .orderBy('ticket', 'desc')
      .limit(1)
      .executeTakeFirst()
    names.set(key, record ? nameIn(record) : '')
  }
  return (object, id) => names.get(nodeKey(object, id)) ?? ''
}

/** Deleted instances whose last name is looked up for an answer. */
const maxLookedUp = 200

/** The modules with the names that are missing. */
export async function withNames(
  reader: Reader,
  account: string,
  modules: readonly PlacedModule[],
): Promise<(module: PlacedModule) => PlacedModule> {
  const unnamed = modules.filter(({ bk_module_name: name }) => name === '')
  const keys = unnamed.flatMap((each) => [
    nodeKey('biz', each.bk_biz_id),
    nodeKey('set', each.bk_set_id),
    nodeKey('module', each.bk_module_id),
  ])
  const nameOf = await namesOf(reader, account, new Set(keys))
  return (module) => ({
    ...module,
    bk_biz_name: module.bk_biz_name || nameOf('biz', module.bk_biz_id),
    bk_set_name: module.bk_set_name || nameOf('set', module.bk_set_id),
    bk_module_name: module.bk_module_name || nameOf('module', module.bk_module_id),
  })
}
