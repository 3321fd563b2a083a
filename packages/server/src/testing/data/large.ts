import { insertMany, type Tx } from '../../storage/index.ts'
import type { TestServer } from '../harness.ts'

/** Many sets in a business, as rows; the nth is named "set n", has the capacity n % 7, and modules "module 0" and so on. Returns their ids. */
export function putSets({ service }: TestServer, bizId: number, count: number, modulesEach = 0): Promise<number[]> {
  const work = async (tx: Tx) => {
    const { node: business } = await tx
      .updateTable('business')
      .set((eb) => ({ version: eb('version', '+', 1), tree_version: eb('tree_version', '+', 1) }))
      .where('account', '=', '0')
      .where('biz_id', '=', bizId)
      .returning('node')
      .executeTakeFirstOrThrow()
    const own = { account: '0', business, biz_id: bizId, built_in: 0, creator: 'test' }
    const times = { create_time: tx.now, last_time: tx.now }
    const named = (name: string) => ({ name, name_key: name })
    const ids = await tx.drawIds('set', count)
    const sets = await insertMany(
      tx,
      'node',
      ids.map((inst_id, nth) => ({
        ...{ ...own, ...times, ...named(`set ${nth}`), object_id: 'set', inst_id, parent: business, parent_id: bizId },
        attributes: JSON.stringify({ bk_capacity: nth % 7 }),
      })),
      { returning: ['id', 'inst_id'] },
    )
    const moduleIds = await tx.drawIds('module', count * modulesEach)
    await insertMany(
      tx,
      'node',
      moduleIds.map((inst_id, nth) => {
        const set = sets[nth % count] as (typeof sets)[number]
        const under = { object_id: 'module', inst_id, parent: set.id, parent_id: set.inst_id }
        return { ...own, ...times, ...named(`module ${Math.floor(nth / count)}`), ...under, attributes: '{}' }
      }),
    )
    return ids
  }
  return service.storage.change({ user: 'test', account: '0', requestId: '' }, work, { bulk: true })
}
