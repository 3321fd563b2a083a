// Runs the configurations of docs/guides/reverse-proxy.md with the real nginx and the real Caddy in front of a real server.
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { putDemo } from '../packages/server/src/testing/data/demo.ts'
import { makeStore, type TestStore } from '../packages/server/src/testing/harness.ts'
import { endWithSignal, entry, type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'
import { freePort } from '../packages/server/src/testing/servers/postgres.ts'
import { blocksOf } from './docs/blocks.ts'

const guide = blocksOf('docs/guides/reverse-proxy.md').filter(({ testedBy }) => testedBy !== undefined)
const fileOf = (name: string) => guide.find(({ file }) => file === name)?.text ?? ''
const serveFlags = /^mainline serve (.*)$/m.exec(guide.find(({ words }) => words.includes('serve'))?.text ?? '')?.[1]
const host = 'cmdb.example.org'
const home = mkdtempSync(join(tmpdir(), 'mainline-proxy-'))
const isInstalled = (program: string) => spawnSync('which', [program]).status === 0

let store: TestStore
let server: ServerProcess
let token: string
beforeAll(async () => {
  store = await makeStore('sqlite')
  await putDemo(store.dataDir)
  server = await spawnServer(store, serveFlags?.split(' '))
  const made = await promisify(execFile)(process.execPath, [entry, 'token', 'create', '--user=admin', ...store.flags])
  token = made.stdout.trim()
  const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  const files = ['-keyout', join(home, 'privkey.pem'), '-out', join(home, 'fullchain.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  execFileSync('openssl', ['req', ...kind, ...files, ...name], { stdio: 'pipe' })
  // nginx drops root; its worker must be able to enter the folder for its temporary files.
  chmodSync(home, 0o755)
})
afterAll(async () => {
  await server?.end('SIGTERM')
  store?.remove()
  rmSync(home, { recursive: true, force: true })
})

it('the guide shows how the server is started', () => {
  expect(serveFlags).toBe('--auth token --proxies 127.0.0.1 --url https://cmdb.example.org')
})

interface Proxy {
  readonly http: number
  readonly https: number
  readonly child: ChildProcess
}

/** The text of the guide with the ports and certificates of this test; everything else is unchanged. */
const adapted = (text: string, http: number, https: number) =>
  text
    .replaceAll('/etc/ssl/mainline', home)
    .replaceAll('127.0.0.1:8080', new URL(server.url).host)
    .replace('listen 80;', `listen 127.0.0.1:${http};`)
    .replace('listen 443 ', `listen 127.0.0.1:${https} `)

const starts: Record<string, (http: number, https: number) => readonly string[]> = {
  nginx(http, https) {
    const folder = join(home, 'nginx')
    mkdirSync(folder)
    writeFileSync(join(folder, 'mainline.conf'), adapted(fileOf('mainline.conf'), http, https))
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    )
    const whole = `daemon off; pid ${folder}/pid; error_log stderr warn; events {} http { access_log off; ${temporary.join(' ')} include ${folder}/mainline.conf; }`
    writeFileSync(join(folder, 'nginx.conf'), whole)
    return ['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')]
  },
  caddy(http, https) {
    const file = join(home, 'Caddyfile')
    const ports = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tdefault_bind 127.0.0.1\n}\n`
    writeFileSync(file, ports + adapted(fileOf('Caddyfile'), http, https))
    return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile']
  },
}

async function startProxy(name: string): Promise<Proxy> {
  const [http, https] = [await freePort(), await freePort()]
  const [program = '', ...args] = starts[name]?.(http, https) ?? []
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  endWithSignal()
  process.once('exit', () => child.kill('SIGKILL'))
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  for (let tries = 0; !(await isListening(https)); tries++) {
    if (child.exitCode !== null || tries > 300) throw new Error(`${name} does not listen: ${said}`)
    await pause(100)
  }
  return { http, https, child }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

// Concurrently: most of the time is spent on waiting for long polls.
describe.concurrent.each(Object.keys(starts))('%s', (name) => {
  const there = isInstalled(name)
  if (!there) process.stderr.write(`skipped: ${name} is not installed, for docs/guides/reverse-proxy.md\n`)
  const tried = there ? it : it.skip

  let proxy: Proxy
  beforeAll(async () => {
    if (there) proxy = await startProxy(name)
  })
  afterAll(async () => {
    if (!there) return
    const ended = once(proxy.child, 'exit')
    proxy.child.kill('SIGTERM')
    await ended
  })

  const address = (path: string) => `https://${host}:${proxy.https}${path}`
  const flagsFor = (path: string) => [
    ...['--silent', '--show-error', '--max-time', '60', '--cacert', join(home, 'fullchain.pem')],
    ...['--resolve', `${host}:${proxy.https}:127.0.0.1`, address(path)],
  ]
  const asked = async (path: string, ...more: string[]): Promise<{ body: string; status: string }> => {
    const format = ['--write-out', '\n%{http_code} %{http_version}']
    const { stdout } = await promisify(execFile)('curl', [...flagsFor(path), ...format, ...more])
    const end = stdout.lastIndexOf('\n')
    return { body: stdout.slice(0, end), status: stdout.slice(end + 1) }
  }
  const bearer = (value = token) => ['--oauth2-bearer', value]

  tried('passes requests on, over HTTP/2, with the headers that have underscores', async () => {
    const session = await asked('/api/v3/session', ...bearer())
    expect(session.status).toBe('200 2')
    expect(session.body).toContain('"user":"admin"')
    const named = ['--header', 'cc_request_id: rollout-7', '--header', 'HTTP_BLUEKING_LANGUAGE: zh-cn', '--include']
    const { body } = await asked('/api/v3/topo/internal/0/999', ...bearer(), ...named)
    expect(body).toMatch(/^cc_request_id: rollout-7\r$/m)
    expect(body).toMatch(/"bk_error_msg":"[^"a-z]+"/)
    const page = await asked('/api/v3/biz/search/0', ...bearer(), '--json', '{}', '--header', `Origin: ${address('')}`)
    expect(page.status, 'a page of its own').toBe('200 2')
    const other = await asked('/api/v3/biz/search/0', ...bearer(), '--json', '{}', '--header', 'Origin: https://x.test')
    expect(other.status, 'a page of another site').toBe('403 2')
  })

  tried('redirects to HTTPS, shows health and docs, and keeps the metrics to itself', async () => {
    const target = '%{http_code} %{redirect_url}'
    const plain = ['--silent', '--output', '/dev/null', '--write-out', target, '--header', `Host: ${host}`]
    const { stdout } = await promisify(execFile)('curl', [...plain, `http://127.0.0.1:${proxy.http}/docs?a=1`])
    expect(stdout).toMatch(new RegExp(`^308 https://${host}(:${proxy.https})?/docs\\?a=1$`))
    expect((await asked('/readyz')).status).toBe('200 2')
    expect((await asked('/docs')).status).toBe('200 2')
    expect((await asked('/metrics')).status).toBe('403 2')
  })

  tried('takes a file of 20 MB, and none of more than 32 MiB', async () => {
    const rows = 'bk_host_innerip\n10.91.0.1\n10.91.0.2\n'
    const send = async (megabytes: number) => {
      const file = join(home, `${name}.csv`)
      writeFileSync(file, rows + `#${'x'.repeat(999_998)}\n`.repeat(megabytes))
      const sent = ['--header', 'Content-Type: text/csv', '--header', 'Expect:', '--data-binary', `@${file}`]
      return asked('/api/v3/import/hosts/2?dry_run=true', ...bearer(), ...sent).catch((error) => ({
        body: '',
        status: String(error.stdout).split('\n').at(-1) ?? '',
      }))
    }
    const taken = await send(20)
    expect(taken.status).toBe('200 2')
    expect(taken.body).toContain('{"done":true,"rows":2,"created":2,')
    expect((await send(34)).status).toMatch(/^413/)
  })

  tried('keeps a long poll open until it ends, and hands events of a stream on as they occur', async ({ expect }) => {
    const since = Date.now()
    const poll = asked('/api/v3/event/watch/resource/plat', ...bearer(), '--json', '{}')
    const stream = spawn('curl', ['--no-buffer', ...flagsFor('/api/v3/event/stream?resource=set'), ...bearer()])
    let received = ''
    stream.stdout.on('data', (chunk) => (received += chunk))
    await expect.poll(() => received).toContain('id: ')
    const set = { bk_biz_id: 2, bk_parent_id: 4, bk_supplier_account: '0', bk_set_name: `through ${name}` }
    expect((await asked('/api/v3/set/2', ...bearer(), '--json', JSON.stringify(set))).status).toBe('200 2')
    await expect.poll(() => received).toContain(`through ${name}`)
    expect(stream.exitCode).toBeNull()
    stream.kill()
    const { body, status } = await poll
    expect(status).toBe('200 2')
    expect(body).toContain('"bk_watched":false')
    expect(Date.now() - since).toBeGreaterThan(15_000)
  })

  tried('names the client, so that one that guesses tokens does not slow others down', async ({ expect }) => {
    const guess = async (from: string, ...more: string[]) =>
      (await asked('/api/v3/topo/internal/0/2', ...bearer('ml_1_guess'), '--interface', from, ...more)).status
    const [guesser, other] = name === 'nginx' ? ['127.0.0.2', '127.0.0.3'] : ['127.0.0.4', '127.0.0.5']
    // On a slow machine a pause may elapse between two attempts; each pause is twice as long as the previous one.
    let tries = 0
    const twice = async () => [
      await guess(guesser),
      await guess(guesser, '--header', `X-Forwarded-For: 203.0.113.${++tries}`),
    ]
    await expect.poll(twice).toEqual(['429 2', '429 2'])
    expect(await guess(other)).toBe('401 2')
  })
})
