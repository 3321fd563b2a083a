import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSheet } from '../../sheets/index.ts'
import { findRecords, makeBusiness } from '../../testing/data/factories.ts'
import { makeStore, type TestServer, type TestStore } from '../../testing/harness.ts'
import { entry, type ServerProcess, spawnServer } from '../../testing/process.ts'
import { freePort } from '../../testing/servers/postgres.ts'
import { type ClientCommand, clientCommands } from '../catalogue.ts'
import { runClientCommand } from '../run.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-import-'))
let store: TestStore
let server: ServerProcess
let port: number
beforeAll(async () => {
  store = await makeStore('sqlite')
  port = await freePort()
  server = await spawnServer(store, [`--port=${port}`])
})
afterAll(async () => {
  await server.end('SIGTERM')
  store.remove()
  rmSync(home, { recursive: true, force: true })
})

function start(...args: string[]) {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH: process.env.PATH, MAINLINE_SERVER: `http://127.0.0.1:${port}` },
  })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  child.stderr.on('data', (chunk) => (said += chunk))
  const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, said })),
  )
  return { child, ended, said: () => said }
}

it('resumes after it and the server were killed, and imports no row twice', async () => {
  const business = await makeBusiness(server as unknown as TestServer, 'shop')
  const file = join(home, 'hosts.csv')
  const count = 5_000
  const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
  const rows = Array.from({ length: count }, (_, index) => `${address(index + 1)},host-${index}`)
  rows[7] = '10.0.0.8.8,broken'
  writeFileSync(file, `bk_host_innerip,bk_host_name\n${rows.join('\n')}\n`)
  const state = `${file}.import-state.json`
  const args = ['import', 'hosts', file, '--business', 'shop']

  const first = start(...args)
  await expect.poll(() => existsSync(state), { interval: 5, timeout: 120_000 }).toBe(true)
  first.child.kill('SIGKILL')
  await first.ended
  expect(JSON.parse(readFileSync(state, 'utf8')).next).toBeGreaterThan(1)

  const second = start(...args)
  await expect.poll(second.said, { interval: 5, timeout: 120_000 }).toContain('Resuming at row')
  await server.end('SIGKILL')
  await expect.poll(second.said, { interval: 20, timeout: 120_000 }).toMatch(/continuing in/)
  server = await spawnServer(store, [`--port=${port}`])
  const { code, said } = await second.ended
  expect(said).toContain('row 9:')
  expect(code).toBe(1)
  expect(existsSync(state)).toBe(false)
  expect(readFileSync(join(home, 'hosts.failed.csv'), 'utf8')).toMatch(
    /^\ufeffbk_host_innerip,bk_host_name,import_error\r\n10\.0\.0\.8\.8,broken,/,
  )

  const found = await server.call<{ count: number }>('POST', '/hosts/search', { bk_biz_id: business })
  expect(found.data.count).toBe(count - 1)
  const records = await findRecords(server as unknown as TestServer, { op_target: 'host', op_type: 'add' })
  expect(records.data.count).toBe(count - 1)
})

/** A proxy that cuts off the first file response after so many lines. */
async function cutting(lines: number): Promise<{ url: string; [Symbol.dispose](): void }> {
  let cut = false
  const front = createServer(async (request, response) => {
    const { method = 'GET', headers } = request
    const { host: _host, connection: _connection, 'content-length': _length, ...kept } = headers
    const sent = await buffer(request)
    const answer = await fetch(`${server.url}${request.url}`, {
      method,
      headers: kept as Record<string, string>,
      ...(method !== 'GET' && { body: sent }),
    })
    const type = answer.headers.get('content-type') ?? ''
    const text = await answer.text()
    response.writeHead(answer.status, { 'content-type': type })
    if (cut || !type.includes('ndjson')) return response.end(text)
    cut = true
    const begun = text.split('\n').slice(0, lines).join('\n')
    return response.write(`${begun}\n`, () => response.destroy())
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const { port: at } = front.address() as AddressInfo
  return { url: `http://127.0.0.1:${at}`, [Symbol.dispose]: () => front.close() }
}

it('an atomic import is sent again from its first row if the answer was interrupted', async () => {
  const business = await makeBusiness(server as unknown as TestServer, 'whole')
  const hosts = join(home, 'atomic.csv')
  writeFileSync(hosts, 'bk_host_innerip\n10.50.0.1\nnonsense\n10.50.0.2\n10.50.0.3\n')
  {
    using front = await cutting(3)
    const { code, said } = await start('import', 'hosts', hosts, '--business=whole', '--atomic', '--server', front.url)
      .ended
    expect(said).toMatch(/starting again in 1 s[\s\S]*^1 failed, 3 skipped\.$/m)
    expect(code).toBe(1)
  }
  const found = await server.call<{ count: number }>('POST', '/hosts/search', { bk_biz_id: business })
  expect(found.data.count).toBe(0)

  const topology = join(home, 'dry.csv')
  writeFileSync(topology, 'topo_path\nshop\nshop/web\nshop/db\n')
  using front = await cutting(1)
  const dry = await start('import', 'topology', topology, '--business=whole', '--dry-run', '--server', front.url).ended
  expect(dry.said).toMatch(/starting again in 1 s\.\n2\tcreated\n3\tcreated\n4\tcreated\nWould be: 3 created\.\n$/)
  expect(dry.code).toBe(0)

  // Larger than one request of an import: its last line depends on its first one.
  const estate = join(home, 'dry.jsonl')
  const filling = `${' '.repeat(4_000_000)}\n`.repeat(5)
  const query = { is: 'query', business: 'dry', name: 'all', info: '{"condition":[]}' }
  const lines = [{ is: 'business', name: 'dry', attributes: { bk_biz_maintainer: 'amy' } }, query]
  writeFileSync(estate, lines.map((line) => JSON.stringify(line)).join(`\n${filling}`))
  const tried = await start('import', 'estate', estate, '--dry-run', '--server', server.url).ended
  expect(tried.said).toBe('1\tcreated\n7\tcreated\nWould be: 2 created.\n')
})

it('an interrupted export leaves no file', async () => {
  using front = await cutting(2)
  const output = join(home, 'estate.jsonl')
  const { code, said } = await start('export', 'estate', '-o', output, '--server', front.url).ended
  expect(said).toContain('No Mainline answered')
  expect(code).toBe(3)
  expect([output, `${output}.part`].filter((file) => existsSync(file))).toEqual([])
})

const run = (name: string, ...args: string[]) =>
  runClientCommand(name, clientCommands[name] as ClientCommand, ['--server', server.url, ...args])

it('refuses wrong arguments with a reason', async () => {
  const file = join(home, 'small.csv')
  writeFileSync(file, 'bk_host_innerip\n10.99.0.1\n')
  const large = join(home, 'large.jsonl')
  writeFileSync(large, '{"is":"estate","version":1}\n'.repeat(20_001))
  const hosts = ['import', 'hosts', file, '--business', 'shop'] as const
  const nowhere = ['--server', 'http://127.0.0.1:9']
  const refused: [string[], number, string][] = [
    [['import'], 2, "'mainline import' takes one of hosts, topology, estate"],
    [['import', 'host', file], 2, 'Did you mean hosts'],
    [['import', 'hosts'], 2, 'Which file?'],
    [['import', 'hosts', 'nosuch.csv'], 2, 'nosuch.csv cannot be read'],
    [['import', 'hosts', file], 2, 'The business is missing: import hosts needs --business'],
    [['import', 'hosts', file, '--business', 'shp'], 1, "There is no business 'shp'. Did you mean 'shop'"],
    [[...hosts, '--server', 'nonsense'], 2, 'must be a URL'],
    [[...hosts, '--nonsense'], 2, "'mainline import' has no flag --nonsense"],
    [['import', 'estate', file, '--atomic'], 2, '--atomic is for hosts and topology.'],
    [
      ['import', 'estate', file, '--user', 'kofi'],
      1,
      'The server rejected the request: permission denied: only administrators',
    ],
    [['import', 'estate', file, ...nowhere], 3, 'No Mainline answered'],
    [['import', 'estate', large, '--dry-run'], 1, 'at most 20000 lines and 32 MiB, but this one has 20001 lines'],
    [['export', 'nonsense'], 2, "Cannot export 'nonsense'."],
    [['export', 'template'], 2, "'mainline export template' takes one of hosts, topology"],
    [['export', 'topology'], 2, 'The business is missing:'],
    [['export', 'hosts', '--format', 'ods'], 2, "--format is 'ods': it must be one of csv, xlsx."],
    [['export', 'estate', '--format', 'csv'], 2, '--format is for hosts and topology.'],
    [['export', 'estate', '--user', 'kofi'], 1, 'only administrators'],
    [['export', 'estate', ...nowhere], 3, 'No Mainline answered'],
    [['export', 'estate', '-o', join(home, 'nosuch', 'file')], 2, 'cannot be written'],
  ]
  for (const [[name = '', ...args], exitCode, message] of refused) {
    const expected = { exitCode, message: expect.stringContaining(message) }
    await expect(run(name, ...args), args.join(' ')).rejects.toMatchObject(expected)
  }
  writeFileSync(`${file}.import-state.json`, '{"sign":"of another file"}')
  await expect(run(...hosts)).rejects.toThrow('--restart')
  writeFileSync(`${file}.import-state.json`, 'cut off')
  await expect(run(...hosts)).rejects.toThrow('cannot be read')
  await run(...hosts, '--restart')
  const output = join(home, 'back.xlsx')
  await run('export', 'hosts', '--business', 'shop', '-o', output)
  expect((await readSheet(readFileSync(output))).rows.at(-1)?.cells[0]).toBe('10.99.0.1')
})
