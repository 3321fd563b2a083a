import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { putDemo } from '../../packages/server/src/testing/data/demo.ts'
import { makeBusiness } from '../../packages/server/src/testing/data/factories.ts'
import { makeStore, startServer, type TestServer, type TestStore } from '../../packages/server/src/testing/harness.ts'
import { runCommand } from '../../packages/server/src/testing/process.ts'

/** Runs the command on a file of these lines. */
function test(store: TestStore, text: string, ...flags: string[]) {
  const file = join(store.dataDir, 'privileges.yaml')
  writeFileSync(file, text)
  return runCommand(['privileges', 'test', file, ...store.flags, ...flags])
}
const sentences = (...lines: string[]) => `expect:\n${lines.map((line) => `  - ${line}\n`).join('')}`

describe('beside a server with the demo estate', () => {
  let store: TestStore
  let server: TestServer
  beforeAll(async () => {
    store = await makeStore('sqlite')
    await putDemo(store.dataDir)
    server = await startServer('sqlite', { store })
  })
  afterAll(async () => {
    await server.close()
    store.remove()
  })

  it('prints each expectation with its reason, and fails if one does not hold', async () => {
    const lines = sentences('amy may create_set in Web shop', 'ivan may create_set in 2', 'amy may not search_set')
    const { code, output } = await test(store, lines)
    expect(output).toBe(
      "ok    amy may create_set in Web shop\n      bk_biz_maintainer of business 2 lists 'amy' and grants topoupdate\n" +
        "FAIL  ivan may create_set in 2\n      'ivan' needs 'topoupdate' in business 2, granted by its roles bk_biz_maintainer; none of them lists 'ivan'\n" +
        'FAIL  amy may not search_set\n      any authenticated caller may do this\n1 of 3 hold.\n',
    )
    expect(code).toBe(1)
  })

  it('uses the given administrators', async () => {
    const lines = sentences('amy may delete_business', 'admin may not delete_business')
    expect(await test(store, lines, '--admins=amy,ben')).toMatchObject({ code: 0 })
  })

  it.each([
    ['an unknown operation', sentences('amy may creat_set in Web shop'), 'the closest known names are create_set'],
    ['an unknown business', sentences('amy may create_set in Web shoppe'), ":2: There is no business 'Web shoppe'"],
  ])('cannot test a file with %s, and says so', async (_, text, saying) => {
    const { code, output } = await test(store, text)
    expect(output).toContain(saying)
    expect(code).toBe(2)
  })

  it('cannot test without a file or a storage', async () => {
    expect(await runCommand(['privileges', 'test'])).toMatchObject({
      code: 2,
      output: expect.stringContaining('The file is missing'),
    })
    expect(await runCommand(['privileges', 'test', '/nowhere.yaml'])).toMatchObject({ code: 2 })
    const elsewhere = await test(store, sentences('amy may search_set'), '--data-dir=/nowhere')
    expect(elsewhere).toMatchObject({ code: 2, output: expect.stringContaining('There is no estate of Mainline') })
  })
})

it('reads PostgreSQL, too', async () => {
  const store = await makeStore('postgres')
  const server = await startServer('postgres', { store })
  const business = await makeBusiness(server, 'Web shop')
  const lines = sentences(`amy may create_set in ${business}`, 'bob may not create_set in Web shop')
  expect(await test(store, lines)).toMatchObject({ code: 0, output: expect.stringContaining('2 of 2 hold.') })
  await server.close()
  store.remove()
})
