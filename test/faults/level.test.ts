import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { eachEngine, makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { isGapless, readLog } from '../../packages/server/src/testing/inspect/log.ts'
import { spawnServer } from '../../packages/server/src/testing/process.ts'

const sets = 20_000

eachEngine((engine) => {
  it('a process killed while inserting a level leaves the previous chain complete', async () => {
    const store = await makeStore(engine)
    const maker = await startServer(engine, { store })
    const made = await maker.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'large' })
    const business = made.data.bk_biz_id
    const json = engine === 'postgres' ? '::jsonb' : ''
    await maker.service.storage.engine.script(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sets}), b AS (SELECT node FROM business WHERE biz_id = ${business})
      INSERT INTO node (account, object_id, inst_id, business, parent, biz_id, parent_id, name, name_key, built_in, attributes, creator, create_time, last_time)
      SELECT '0', 'set', 100000 + i, b.node, b.node, ${business}, ${business}, 'set ' || i, 'set ' || i, 0, ('{}')${json}, 'amy', 0, 0 FROM n, b;`)
    await maker.close()

    for (const after of [30, 200, 400]) {
      const server = await spawnServer(store)
      const level = {
        bk_classification_id: 'bk_biz_topo',
        bk_obj_id: 'region',
        bk_obj_name: 'Region',
        bk_asst_obj_id: 'biz',
      }
      const asked = server.call('POST', '/topo/model/mainline', level).then(
        (answer) => answer.result,
        () => false,
      )
      await pause(after)
      // Other requests are served while it runs.
      expect((await server.call('POST', '/biz/search/0', {})).result).toBe(true)
      await server.end('SIGKILL')
      expect(await asked, 'the insertion was meant to be under way').toBe(false)
    }
    const server = await startServer(engine, { store })
    const chain = await server.call<{ bk_obj_id: string }[]>('GET', '/topo/model/0')
    expect(chain.data.map((node) => node.bk_obj_id)).toEqual(['biz', 'set', 'module', 'host'])
    const { read } = server.service.storage
    const nodes = await read.selectFrom('node').select(['object_id', 'parent_id']).where('built_in', '=', 0).execute()
    expect(nodes.filter((node) => node.object_id === 'set' && node.parent_id === business)).toHaveLength(sets)
    expect(nodes).toHaveLength(sets + 1)
    expect(isGapless(await readLog(read))).toBe(true)
    await server.close()
    store.remove()
  })
})
