import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../testing/harness.ts'
import { entry, type ServerProcess, spawnServer } from '../testing/process.ts'
import { freePort } from '../testing/servers/postgres.ts'

// What only the real process shows: pipes, signals, a terminal, shells.
const home = mkdtempSync(join(tmpdir(), 'mainline-cli-'))
let store: TestStore
let server: ServerProcess
let port: number
let env: Record<string, string>
beforeAll(async () => {
  port = await freePort()
  store = await makeStore('sqlite')
  server = await start(['--demo'])
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin/mainline'), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`, { mode: 0o755 })
  env = {
    PATH: `${home}/bin:${process.env.PATH}`,
    HOME: home,
    XDG_CONFIG_HOME: home,
    MAINLINE_SERVER: server.url,
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
  }
})
afterAll(async () => {
  await server.end('SIGTERM')
  store.remove()
  rmSync(home, { recursive: true, force: true })
})

const start = (flags: string[] = []) => spawnServer({ ...store, flags: [...store.flags, `--port=${port}`] }, flags)
const bash = async (script: string) => (await promisify(execFile)('bash', ['-c', script], { env })).stdout

it('ends quietly when the pipe is closed, and is not coloured in a pipe', async () => {
  const out = await bash(`mainline get hosts | head -n 1; echo \${PIPESTATUS[*]}`)
  expect(out).toMatch(/^bk_host_id {2}bk_host_innerip.*\n0 0\n$/)
  expect(await bash(`mainline export estate | head -c 8; echo " \${PIPESTATUS[*]}"`)).toBe('{"is":"e 0 0\n')
})

it('is coloured on a terminal', async () => {
  const out = await bash(`script -qec 'mainline get businesses --limit 1' /dev/null </dev/null`)
  expect(out).toContain('\u001b[1mbk_biz_id')
})

it('accepts a typed token without showing it', async () => {
  const typing = `(sleep 0.2; until grep -q Token seen; do sleep 0.05; done; printf 'ml_1_typed\\n') | script -qfec 'mainline profile add typed --server http://127.0.0.1:8080' seen`
  await promisify(execFile)('bash', ['-c', `cd '${home}'; : > seen; ${typing}`], { env })
  const seen = readFileSync(join(home, 'seen'), 'utf8')
  expect(seen).toContain('Token for http://127.0.0.1:8080 (Enter for none): ')
  expect(seen).toContain("Profile 'typed' created in")
  expect(seen).not.toContain('ml_1_typed')
  expect(JSON.parse(readFileSync(join(home, 'mainline/profiles.json'), 'utf8')).profiles).toEqual({
    typed: { server: 'http://127.0.0.1:8080', token: 'ml_1_typed' },
  })
})

it('follows events across a restart of the server, and ends cleanly with Ctrl+C', async () => {
  const tail = follow(['--resource', 'set', '--business', 'Web shop', '-o', 'json'])
  const rename = (bk_set_name: string) => server.call('PUT', '/set/2/3', { bk_biz_id: 2, bk_set_name })
  // Whether it is subscribed cannot be seen from outside: changes are made until one is received.
  let tries = 0
  const trying = async () => {
    await rename(`try ${++tries}`)
    return tail.events().length
  }
  await expect.poll(trying, { interval: 200, timeout: 60_000 }).toBeGreaterThan(0)
  await rename('before')
  await expect.poll(() => tail.events().at(-1)?.bk_detail.bk_set_name).toBe('before')
  await server.end('SIGKILL')
  await expect.poll(() => tail.err()).toContain('Connection lost')
  server = await start()
  await rename('after')
  await expect.poll(() => tail.events().at(-1)?.bk_detail.bk_set_name).toBe('after')
  expect(tail.err()).toContain('Reconnected; no events were missed.')
  const names = tail.events().map((event) => event.bk_detail.bk_set_name)
  expect(names).toEqual([...new Set(names)])
  tail.child.kill('SIGINT')
  expect(await tail.ended).toBe(0)
  expect(tail.err()).toContain(`To resume from here: --cursor ${tail.events().at(-1)?.bk_cursor}`)
})

interface Seen {
  readonly bk_cursor: string
  readonly bk_detail: { readonly bk_set_name: string }
}

function follow(flags: string[]) {
  const child: ChildProcess = spawn(process.execPath, [entry, 'events', 'tail', ...flags], { env })
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  return {
    child,
    ended: new Promise((resolve) => child.once('close', resolve)),
    err: () => err,
    events: () => out.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Seen] : [])),
  }
}

it('bash completes commands, flags, values and the names of businesses', async () => {
  const tries: [string[], string[]][] = [
    [['pro'], ['profile']],
    [
      ['get', ''],
      ['hosts', 'businesses', 'sets', 'modules', 'queries', 'subscriptions', 'groups'],
    ],
    [['get', '-o', 'json', 'h'], ['hosts']],
    [['get', 'hosts', '--fi'], ['--fields']],
    [
      ['get', 'hosts', '--output', ''],
      ['table', 'json', 'csv', 'yaml'],
    ],
    [['get', 'hosts', '--output', '=', 'y'], ['yaml']],
    [['get', 'hosts', '--where', ''], []],
    [
      ['import', ''],
      ['hosts', 'topology', 'estate'],
    ],
    // Bash completes files itself.
    [['import', 'hosts', ''], []],
    [
      ['import', 'hosts', '--dry-run', '--re'],
      ['--restart', '--reason'],
    ],
    [
      ['export', 'hosts', '--format', ''],
      ['csv', 'xlsx'],
    ],
    [['export', 'hosts', '-o', ''], []],
    [
      ['serve', '--data'],
      ['--data-dir', '--database-url'],
    ],
    [
      ['token', ''],
      ['create', 'list', 'revoke'],
    ],
    [['tree', '--business', 'W'], ['Web\\ shop']],
    [['tree', '--server', 'http', ':', '//127.0.0.1', ':', 'PORT', '--business', '=', "'Off"], ['Office and tools']],
  ]
  const script = [
    'set -u; source <(mainline completion bash); complete -p mainline >&2',
    `try() { COMP_WORDS=(mainline "$@"); COMP_CWORD=$#; _mainline; printf '%s\\n' "\${COMPREPLY[@]-}" end; }`,
    ...tries.map(
      ([words]) =>
        `try ${words.map((word) => `'${word.replace('PORT', String(port)).replaceAll("'", "'\\''")}'`).join(' ')}`,
    ),
  ]
  const offered = (await bash(script.join('\n'))).split('end\n').map((each) => each.split('\n').filter(Boolean))
  expect(offered.slice(0, -1)).toEqual(tries.map(([, expected]) => expected))
})

it('zsh completes them, too', async ({ skip }) => {
  if (spawnSync('zsh', ['--version']).error) {
    process.stderr.write('skipped: zsh is not installed: apt-get install -y zsh\n')
    skip('zsh is not installed')
  }
  // A zsh in its own terminal; reads until the pattern appears.
  const script = `
    zmodload zsh/zpty
    zpty z zsh -f -i
    zpty -w z 'PS1="> "; autoload -Uz compinit; compinit -u -D; source <(mainline completion zsh); echo load""ed'
    zpty -r z out '*loaded*'
    zpty -n -w z $'mainline g\\thos\\t--bus\\tWeb\\t'
    zpty -r -m z out '*Web\\\\ shop*' && print completed
    zpty -d z`
  expect((await promisify(execFile)('zsh', ['-f', '-c', script], { env, timeout: 60_000 })).stdout).toContain(
    'completed',
  )
})

it('fish completes commands, words, flags, their values, files and live names', async ({ skip }) => {
  if (spawnSync('fish', ['--version']).error) {
    process.stderr.write('skipped: fish is not installed: apt-get install -y fish\n')
    skip('fish is not installed')
  }
  const tries: [typed: string, offered: string[]][] = [
    ['mainline ge', ['get']],
    ['mainline get hos', ['hosts']],
    ['mainline help tok', ['token']],
    ['mainline token ', ['create', 'list', 'revoke']],
    ['mainline get hosts --bus', ['--business']],
    ['mainline get hosts -o ', ['csv', 'json', 'table', 'yaml']],
    ['mainline get --limit 3 ho', ['hosts']],
    ['mainline export hosts --format ', ['csv', 'xlsx']],
    ['mainline verify --data', ['--data-dir', '--database-url']],
    ['mainline backup --po', []],
    ['mainline tree --business W', ['Web shop']],
    [`mainline tree --server http://127.0.0.1:${port} --business Off`, ['Office and tools']],
    ['mainline tree ', []],
    ['mainline import hosts mainline/prof', ['mainline/profiles.json']],
  ]
  const script = [
    `cd ${home}`,
    'mainline completion fish | source',
    ...tries.map(([typed]) => `complete -C '${typed}'; echo end`),
  ]
  mkdirSync(join(home, 'mainline'), { recursive: true })
  writeFileSync(join(home, 'mainline/profiles.json'), '{"profiles":{}}', { mode: 0o600 })
  const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', script.join('\n')], {
    env,
    timeout: 120_000,
  })
  const offered = stdout.split('end\n').map((each) =>
    each
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[0]),
  )
  expect(offered.slice(0, -1).map((each) => each.toSorted())).toEqual(tries.map(([, expected]) => expected))
})
