import { expect, it } from 'vitest'
import { readerOver } from '../../platform/storage/handles.ts'
import { openEngine } from '../../platform/storage/index.ts'
import { migrate, readMigrations } from '../../platform/storage/migrate.ts'
import { configOf, eachEngine, makeStore } from '../../testing/harness.ts'
import { boundTo } from './roles.ts'

eachEngine((engineName) => {
  it('accounts that were there before privileges could be bound keep what their maintainers had', async () => {
    const store = await makeStore(engineName)
    const engine = await openEngine(configOf(store))
    const shipped = readMigrations()
    const privileges = shipped.findIndex((each) => each.name.endsWith('_privileges'))
    await migrate(engine, shipped.slice(0, privileges))
    await engine.script("INSERT INTO account (name, chain_version, model_version) VALUES ('old', 1, 1)")
    await migrate(engine, shipped)
    const role = { bk_obj_id: 'biz', bk_property_id: 'bk_biz_maintainer' }
    const bound = await boundTo(readerOver(engine.reads, engine), 'old', role)
    expect(bound).toEqual(['hostupdate', 'hosttrans', 'topoupdate', 'customapi', 'proconfig'])
    await engine.close()
    store.remove()
  })
})
