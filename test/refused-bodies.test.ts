import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFull } from '../packages/server/src/testing/full.ts'
import { startServer, type TestServer } from '../packages/server/src/testing/harness.ts'

const run = promisify(execFile)
const bodyLimit = 1 << 20
/** Repeated, since a response may be lost only sometimes; each is tried with three framings. */
const times = Number(process.env.REFUSED_BODIES ?? (isFull ? 3 : 1))
const home = mkdtempSync(join(tmpdir(), 'mainline-bodies-'))
const program = (name: string) => join(import.meta.dirname, 'refused-bodies', name)

interface Attempts {
  readonly url: string
  readonly bytes: number
  readonly framing: 'length' | 'chunked' | 'close'
}
type Client = (attempts: Attempts) => Promise<{ stdout: string }>

const clientWith =
  (command: string, ...first: string[]): Client =>
  ({ url, bytes, framing }) =>
    run(command, [...first, url, String(bytes), String(times), framing])

async function curl({ url, bytes, framing }: Attempts) {
  const file = join(home, `body-${bytes}`)
  writeFileSync(file, Buffer.alloc(bytes, 'x'))
  const framed = { length: [], chunked: ['-H', 'Transfer-Encoding: chunked'], close: ['-H', 'Connection: close'] }
  // Older versions send Expect: 100-continue for bodies of more than a megabyte, so the flag is set explicitly.
  const expecting = ['-H', 'Expect: 100-continue']
  const answer = join(home, 'answer')
  let stdout = ''
  for (let n = 0; n < times; n++) {
    for (const more of [[], expecting]) {
      const sent = [
        '-sS',
        '-H',
        'Content-Type:',
        '--data-binary',
        `@${file}`,
        ...framed[framing],
        ...more,
        '-o',
        answer,
      ]
      const { stdout: line } = await run('curl', [...sent, '-w', '%{http_code}', url])
      const { stdout: text } = await run('cat', [answer])
      stdout += `${line} ${JSON.parse(text).bk_error_code}\n`
    }
  }
  return { stdout }
}

const clients: Record<string, { there: string[]; client: Client }> = {
  'Python http.client': { there: ['python3', '--version'], client: clientWith('python3', program('client.py')) },
  'Node http': { there: [process.execPath, '-v'], client: clientWith(process.execPath, program('client-http.mjs')) },
  'Node fetch': { there: [process.execPath, '-v'], client: clientWith(process.execPath, program('client-fetch.mjs')) },
  'Go net/http': { there: ['go', 'version'], client: clientWith(join(home, 'go-client')) },
  curl: { there: ['curl', '--version'], client: curl },
}

let server: TestServer
let tokens: TestServer
beforeAll(async () => {
  server = await startServer('sqlite', { flags: [`--body-limit=${bodyLimit}`] })
  tokens = await startServer('sqlite', { flags: [`--body-limit=${bodyLimit}`, '--auth=token'] })
  if (spawnSync('go', ['version']).status === 0) {
    await run('go', ['build', '-o', join(home, 'go-client'), program('client.go')])
  }
}, 120_000)
afterAll(async () => {
  await server.close()
  await tokens.close()
  rmSync(home, { recursive: true, force: true })
})

for (const [name, { there, client }] of Object.entries(clients)) {
  const [command = '', ...hello] = there
  const isThere = spawnSync(command, hello).status === 0
  if (!isThere) process.stderr.write(`${command} is not installed: what it makes of refused bodies is not tried\n`)
  describe.skipIf(!isThere)(`${name} receives the refusal of a body`, () => {
    const answers = async (attempts: Attempts) => {
      const lines = (await client(attempts)).stdout.trim().split('\n')
      expect(lines.length).toBeGreaterThanOrEqual(times)
      return [...new Set(lines)]
    }
    const search = () => `${server.url}/api/v3/biz/search/0`
    it.each([
      ['slightly', bodyLimit + 1],
      ['far', 20 * bodyLimit],
    ])(
      'that is %s over the limit',
      async (_, bytes) => {
        for (const framing of ['length', 'chunked', 'close'] as const) {
          expect(await answers({ url: search(), bytes, framing })).toEqual(['413 1199413'])
        }
      },
      120_000,
    )

    it('that is sent to an unknown path, or without a token', async () => {
      for (const framing of ['length', 'chunked', 'close'] as const) {
        const bytes = 8 * bodyLimit
        expect(await answers({ url: `${server.url}/api/v3/nowhere`, bytes, framing })).toEqual(['404 1199037'])
        expect(await answers({ url: `${tokens.url}/api/v3/biz/search/0`, bytes, framing })).toEqual(['401 1199027'])
      }
    }, 120_000)
  })
}
