import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { runCommand, spawnServer } from '../../packages/server/src/testing/process.ts'
import { freePort } from '../../packages/server/src/testing/servers/postgres.ts'

it('refuses a second server on the same data directory, but starts after the first was killed with -9', async () => {
  const store = await makeStore('sqlite')
  const first = await spawnServer(store)
  await expect(spawnServer(store)).rejects.toThrow(`Another Mainline is using the data directory ${store.dataDir}`)
  await first.end('SIGKILL')
  const second = await spawnServer(store)
  expect(await second.end('SIGTERM')).toBe(0)
  store.remove()
})

it('stops gracefully: running requests finish and are stored', async () => {
  const store = await makeStore('sqlite')
  const server = await spawnServer(store)
  const asked = Array.from({ length: 50 }, (_, index) =>
    server.call('POST', '/biz/0', { bk_biz_name: `business ${index}` }),
  )
  await Promise.race(asked)
  const ended = server.end('SIGTERM')
  const acknowledged = (await Promise.allSettled(asked)).filter(
    (each) => each.status === 'fulfilled' && each.value.result,
  )
  expect(await ended).toBe(0)

  const again = await startServer('sqlite', { store })
  const found = await again.call<{ count: number }>('POST', '/biz/search/0', {})
  expect(found.data.count).toBe(acknowledged.length)
  await again.close()
  store.remove()
})

it('explains in a sentence why it does not start', async () => {
  const store = await makeStore('sqlite')
  const nowhere = `postgres://nobody:secret@127.0.0.1:${await freePort()}/none`
  const file = join(store.dataDir, 'file')
  writeFileSync(file, '')
  // 2 for a wrong command or setting, 1 for a failure.
  const cases: [string[], RegExp, code?: 1][] = [
    [['--database-url', nowhere], /does not answer: .*ECONNREFUSED.*Check DATABASE_URL/, 1],
    [['--database-url', 'mysql://x'], /--database-url must start with postgres:\/\//],
    [['--port', 'eighty'], /--port is 'eighty': it must be an integer from 0 to 65535/],
    [['--host', '0.0.0.0'], /would admit every caller/],
    [['--host', '0.0.0.0', '--auth', 'proxy'], /MAINLINE_AUTH=proxy needs MAINLINE_PROXIES/],
    [['--timezone', 'Mars/Olympus'], /must be a time zone/],
    [['--log-level', 'loud'], /must be one of trace, debug/],
    [['--data-dir', file], /cannot be used/, 1],
    [['--host', '203.0.113.1', '--auth', 'token'], /Cannot listen on .*Choose another address with --host/, 1],
    [['--data', 'x'], /'mainline serve' has no flag --data. Did you mean --data-dir, /],
  ]
  for (const [flags, sentence, expected = 2] of cases) {
    const { code, output } = await runCommand(['serve', ...store.flags, ...flags])
    expect(output).toMatch(sentence)
    expect(output).not.toContain('    at ')
    expect(output).not.toContain('secret')
    expect(code).toBe(expected)
  }
  store.remove()
})

it('verify names the segment in which one byte was changed in the database', async () => {
  const store = await makeStore('sqlite')
  const made = await runCommand(['demo', '--hosts', '3000', ...store.flags])
  expect(made.output).toMatch(/Created 5 businesses with 150 sets, \d+ modules and 3000 hosts\./)
  const server = await startServer('sqlite', { store })
  const { read } = server.service.storage
  await expect.poll(() => read.selectFrom('seal').select('segment').execute()).toHaveLength(4)
  expect((await runCommand(['verify', ...store.flags])).output).toContain('in 4 sealed segments')
  await server.close()

  const database = new DatabaseSync(join(store.dataDir, 'mainline.db'))
  database.exec("UPDATE log SET operator = 'admim' WHERE position = 500")
  database.close()
  const { code, output } = await runCommand(['verify', ...store.flags])
  expect(output).toContain('segment 1 (records 1 to 1000) has been changed')
  expect(code).toBe(1)
  store.remove()
})

it('prints help for every command', async () => {
  expect((await runCommand([])).output).toContain('Usage: mainline <command>')
  expect((await runCommand(['serve', '--help'])).output).toContain('DATABASE_URL')
  expect(await runCommand(['dance'])).toMatchObject({
    code: 2,
    output: expect.stringContaining("There is no command 'dance'"),
  })
})
