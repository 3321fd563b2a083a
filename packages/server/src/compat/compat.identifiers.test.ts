import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subscribe } from '../testing/data/subscriptions.ts'
import { type Both, type Found, failure, startBoth } from '../testing/dialects.ts'

describe('identifiers', () => {
  let both: Both
  beforeAll(async () => {
    both = await startBoth('sqlite')
  })
  afterAll(() => both.close())

  const make = {
    level: (id: string) =>
      [
        '/topo/model/mainline',
        { bk_obj_id: id, bk_obj_name: id, bk_asst_obj_id: 'biz', bk_classification_id: id },
      ] as const,
    classification: (id: string) =>
      ['/object/classification', { bk_classification_id: id, bk_classification_name: `the ${id}` }] as const,
    object: (id: string) =>
      ['/object', { bk_obj_id: id, bk_obj_name: id, bk_classification_id: 'bk_network' }] as const,
  }
  const ask = ([path, body]: readonly [string, object]) => both.ask('POST', path, body)
  const made = { level: 'rack_row2', classification: 'storage_2', object: 'disk_3' }

  it.each(['level', 'classification', 'object'] as const)(
    'of a %s: letters, or small ones, digits and _',
    async (of) => {
      const [plain, spelled] = await ask(make[of](made[of]))
      expect(plain).toMatchObject(failure(1199006))
      expect(spelled).toMatchObject({ result: true })
      const [letters, capitals] = await ask(make[of](`${of}Capital`))
      expect(letters).toMatchObject({ result: true })
      expect(capitals).toMatchObject(failure(1199006))
      for (const wrong of ['2nd', '_x', 'a-b', '__proto__']) {
        const [path, body] = make[of](wrong)
        expect(await both.original.call('POST', path, body)).toMatchObject(failure(1199006))
      }
    },
  )

  it('work in events, conditions and the tree', async () => {
    const found = await both.original.call<Found>('POST', '/inst/search/owner/0/object/rack_row2', {})
    expect(found.data.count).toBeGreaterThan(0)
    await subscribe(
      both.original,
      { url: 'http://127.0.0.1:9/' },
      { subscription_form: 'rack_row2create,disk_3update' },
    )
    const removed = await both.original.call('DELETE', '/topo/model/mainline/owners/0/objectids/rack_row2')
    expect(removed.data).toBe('success')
  })
})
