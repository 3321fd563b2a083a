import type { uniques } from '@mainline/contract'
import { expect, it } from 'vitest'
import { makeBusiness } from '../../../testing/data/factories.ts'
import { define, putSets } from '../../../testing/data/searchable.ts'
import { eachEngine, makeStore, startServer } from '../../../testing/harness.ts'

eachEngine((engine) => {
  it('resumes the check of existing instances when the server starts again', async () => {
    const store = await makeStore(engine)
    const first = await startServer(engine, { store })
    await putSets(first, await makeBusiness(first), 1_200, `'{"serial":"' || i || '"}'`)
    const key_id = await define(first, 'set', 'serial', 'singlechar')
    const rule = { keys: [{ key_kind: 'property', key_id }] }
    const made = await first.call<uniques.UniqueRuleRecord>('POST', '/object/set/unique/action/create', rule)
    expect(made.data).toMatchObject({ bk_unique_state: 'checking', bk_checked: 500 })
    await first.close()

    const second = await startServer(engine, { store })
    const path = '/object/set/unique/action/search'
    const state = async () => (await second.call<uniques.UniqueRuleRecord[]>('GET', path)).data[1]?.bk_unique_state
    await expect.poll(state, { timeout: 20_000 }).toBe('enforced')
    await second.close()
    store.remove()
  })
})
