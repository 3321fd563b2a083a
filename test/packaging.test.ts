import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { stopTimeoutMs } from '../packages/server/src/commands/serve/stopping.ts'
import { readConfig, settingNames } from '../packages/server/src/common/config.ts'
import { openService } from '../packages/server/src/service.ts'
import { makeStore, silent } from '../packages/server/src/testing/harness.ts'
import { entry, spawnServer } from '../packages/server/src/testing/process.ts'
import { freePort } from '../packages/server/src/testing/servers/postgres.ts'
import { blocksOf } from './docs/blocks.ts'
import { isUnreachable, outside } from './first-contact/machine.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-packed-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const guide = blocksOf('docs/guides/install.md')
const block = (name: string) => guide.find(({ words }) => words.includes(name)) ?? { text: '', answer: '' }
const skipped = (why: string, skip: (why: string) => void) => {
  process.stderr.write(`skipped: ${why}\n`)
  skip(why)
}

/** Settings for npm: use the runtime of this process, and the packages fetched for the checkout. */
const npm = {
  npm_config_omit: 'optional',
  npm_config_prefer_offline: 'true',
  npm_config_loglevel: 'error',
  npm_config_fetch_retries: '0',
}

/** Runs the commands of a guide in a folder; false if there is no registry. */
async function isInstalled(install: string, cwd: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const installed = await promisify(execFile)('bash', ['-ec', install], { cwd, env }).catch((error) => error)
  if (isUnreachable(installed)) return false
  expect(installed.code ?? 0, installed.stderr).toBe(0)
  return true
}
const noRegistry = 'no npm registry answers, so that the package cannot be installed'

describe('the npm packages', () => {
  let tarballs: string[]
  beforeAll(async () => {
    const packed = await promisify(execFile)(process.execPath, ['scripts/pack.ts', home])
    tarballs = packed.stdout.trim().split('\n')
  })

  it('each contains the licence and the notice, and has the version of this release', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(tarballs.map((path) => basename(path))).toEqual([
      `mainline-server-${version}.tgz`,
      `mainline-client-${version}.tgz`,
      `mainline_client-${version}-py3-none-any.whl`,
    ])
    for (const tarball of tarballs.slice(0, 2)) {
      const { stdout } = await promisify(execFile)('tar', ['-tzf', tarball])
      const files = stdout.split('\n')
      for (const file of ['LICENSE', 'NOTICE', 'README.md']) expect(files, tarball).toContain(`package/${file}`)
      const bundled = files.filter((file) => /^package\/bundled\/\w+-[\d.]+\.js$/.test(file))
      for (const file of bundled) expect(files).toContain(file.replace(/-[\d.]+\.js$/, '.LICENSE'))
      if (files.includes('package/console/index.html')) {
        expect(files).toContain('package/console/licenses.md')
        expect(files).toContain('package/integrations/ansible_collections/mainline/cmdb/galaxy.yml')
        expect(files.filter((file) => file.includes('__pycache__'))).toEqual([])
      }
    }
  })

  it('the wheel holds what its record lists, and Python installs it without a network', async ({ skip }) => {
    const wheel = tarballs[2] ?? ''
    const files = Object.entries(unzipSync(readFileSync(wheel)))
    const text = (end: string) => Buffer.from(files.find(([file]) => file.endsWith(end))?.[1] ?? '').toString()
    const recorded = text('/RECORD').trimEnd().split('\n')
    const hashes = files.map(([file, bytes]) =>
      file.endsWith('/RECORD')
        ? `${file},,`
        : `${file},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}`,
    )
    expect(recorded.sort()).toEqual(hashes.sort())
    expect(text('/METADATA')).toMatch(/^Metadata-Version: 2\.1\nName: mainline-client\n/)
    if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0) return skipped('pip is not installed', skip)
    const folder = join(home, 'python')
    const pip = [
      '-m',
      'pip',
      'install',
      '--no-index',
      '--no-deps',
      '--no-compile',
      '--quiet',
      '--target',
      folder,
      wheel,
    ]
    await promisify(execFile)('python3', pip)
    const program = 'import mainline_client; print(mainline_client.Client.search_set.__name__)'
    const ran = await promisify(execFile)('python3', ['-c', program], { env: { ...process.env, PYTHONPATH: folder } })
    expect(ran.stdout).toBe('search_set\n')
  })

  it('the server can be installed into an empty folder and runs there as the guide says', async ({ skip }) => {
    const folder = join(home, 'empty')
    mkdirSync(folder)
    const port = await freePort()
    const env = {
      ...outside(process.env),
      ...npm,
      package: tarballs[0],
      PORT: String(port),
      MAINLINE_SERVER: `http://127.0.0.1:${port}`,
    }
    const { text: install } = block('install')
    if (!(await isInstalled(install, folder, env))) return skipped(noRegistry, skip)
    const inside = join(folder, 'node_modules/@mainline/server')
    expect(
      readdirSync(inside, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$|\.test\./.test(file)),
    ).toEqual([])

    const { text: serve } = block('serve')
    // In its own process group, since npx is the parent of the server.
    const server = spawn('bash', ['-ec', `exec ${serve}`], { cwd: folder, env, detached: true, stdio: 'ignore' })
    const ended = once(server, 'exit')
    const address = `http://127.0.0.1:${port}`
    const answered = () =>
      fetch(`${address}/readyz`).then(
        ({ status }) => status,
        () => 0,
      )
    try {
      await expect.poll(answered, { timeout: 60_000, interval: 100 }).toBe(200)
      const { text: commands, answer } = block('try')
      const { stdout } = await promisify(execFile)('bash', ['-ec', commands], { cwd: folder, env })
      expect(stdout.trimEnd()).toBe(answer)
      expect(await (await fetch(`${address}/`)).text()).toContain('<title>Mainline</title>')
      // The package contains the documentation and the styles of the console.
      for (const page of [
        '',
        '/guides/events',
        '/client',
        '/architecture',
        '/site/tokens.css',
        '/images/main-line.svg',
      ]) {
        expect((await fetch(`${address}/docs${page}`)).status, page).toBe(200)
      }
      const document = JSON.parse(readFileSync(join(inside, 'docs/openapi.json'), 'utf8'))
      expect(await (await fetch(`${address}/openapi.json`)).json()).toMatchObject({ info: document.info })
    } finally {
      process.kill(-(server.pid as number), 'SIGTERM')
      await ended
    }
  })

  it('the client can be installed into an empty folder, has types there and does what its guide says', async ({
    skip,
  }) => {
    const folder = join(home, 'program')
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const own = blocksOf('packages/client/README.md')
    const install = own.find(({ words }) => words.includes('install'))?.text ?? ''
    const env = { ...outside(process.env), ...npm, client: tarballs[1] }
    if (!(await isInstalled(install, folder, env))) return skipped(noRegistry, skip)
    // Nothing in it needs compiling or type stripping.
    const sources = /(?<!\.d)\.tsx?$|\.test\./
    const inside = readdirSync(join(folder, 'node_modules/@mainline'), { recursive: true, encoding: 'utf8' })
    expect(inside.filter((file) => sources.test(file))).toEqual([])

    const store = await makeStore('sqlite')
    const server = await spawnServer(store, ['--demo'])
    try {
      const programs = own.filter(({ language }) => language === 'ts')
      expect(programs.length).toBeGreaterThan(4)
      const usual = 'http://127.0.0.1:8080'
      for (const { line, text } of programs) {
        writeFileSync(join(folder, `line-${line}.ts`), `${text.replaceAll(usual, server.url)}\nexport {}\n`)
      }
      writeFileSync(join(folder, 'wrong.ts'), wrongProgram)
      // Its declaration files are checked too, not only the programs.
      const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, skipLibCheck: false, types: [] }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
      const typed = await promisify(execFile)('node_modules/.bin/tsc', ['-p', folder]).catch((error) => error)
      expect(typed.stdout).toBe('')
      for (const { line, text } of programs) {
        const ran = await promisify(execFile)(process.execPath, [`line-${line}.js`], { cwd: folder, env })
        const said = [...text.matchAll(/^\/\/ (.*)$/gm)].map(([, each]) => each)
        expect(ran.stdout.trimEnd(), `line ${line}`).toBe(said.join('\n'))
      }
    } finally {
      await server.end('SIGTERM')
      store.remove()
    }
  })
})

const wrongProgram = `import { createClient } from '@mainline/client'
import { type DataOf, sets } from '@mainline/client/contract'

const client = createClient({ url: '' })
// @ts-expect-error: the path needs a business
export const found = () => client.call(sets.searchSet, { params: { bk_supplier_account: '0' }, body: {} })
// @ts-expect-error: a count is a number
export const counted: DataOf<typeof sets.searchSet>['count'] = 'many'
`

describe('the other packages', () => {
  const read = (file: string) => readFileSync(`packaging/${file}`, 'utf8')
  const assignments = (text: string) =>
    Object.fromEntries([...text.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

  it('name existing settings only, with valid values', () => {
    const known = settingNames()
    const compose = parse(read('compose.yaml'))
    const containerfile = /^ENV (.*)$/m.exec(read('Containerfile'))?.[1]?.replace('NODE_ENV=production ', '') ?? ''
    const all = [
      assignments(read('mainline.env')),
      assignments(containerfile.replaceAll(' ', '\n')),
      compose.services.mainline.environment,
    ]
    for (const settings of all) {
      expect(Object.keys(settings).filter((name) => !known.includes(name))).toEqual([])
      const values = Object.entries<string>(settings).map(([name, value]) => [
        name,
        value.replace(/\$\{\w+:-(.*?)\}/, '$1').replace(/\$\{\w+:\?.*?\}/, 'secret'),
      ])
      expect(() => readConfig([], Object.fromEntries(values))).not.toThrow()
    }
    expect(containerfile).toContain('MAINLINE_AUTH=token')
  })

  it('the compose file waits for a healthy database and runs the image that is built here', () => {
    const { services, volumes } = parse(read('compose.yaml'))
    expect(services.mainline).toMatchObject({ image: 'mainline', pull_policy: 'never' })
    expect(services.mainline.depends_on.postgres.condition).toBe('service_healthy')
    expect(services.postgres.healthcheck.test[0]).toBe('CMD')
    expect(Object.keys(volumes)).toEqual(['postgres'])
  })

  it('all base images are pinned by digest', () => {
    const from = read('Containerfile').match(/^FROM .*$/gm)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the Containerfile has it
    expect(from).toEqual(['FROM ${BUILD_IMAGE} AS build', 'FROM ${BASE_IMAGE}'])
    const copy = mkdtempSync(join(tmpdir(), 'mainline-image-'))
    cpSync('packaging', join(copy, 'packaging'), { recursive: true })
    const build = (list: string) => {
      writeFileSync(join(copy, 'packaging/base-images'), list)
      const env = { PATH: process.env.PATH ?? '', CONTAINER_ENGINE: 'echo' }
      return spawnSync(join(copy, 'packaging/build-image'), ['mainline'], { encoding: 'utf8', env })
    }
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`
    const slim = `node:26-slim@${digest}\n`
    for (const list of ['', slim, `${slim}node:26-alpine\n`, `${slim}node:26-alpine@sha256:12\n`]) {
      expect(build(list)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('has no digest of') })
    }
    const built = build(`${slim}node:26-alpine@${digest}\n`)
    expect(built).toMatchObject({ status: 0 })
    expect(built.stdout).toContain(`BUILD_IMAGE=node:26-slim@${digest} --build-arg BASE_IMAGE=node:26-alpine@${digest}`)
    rmSync(copy, { recursive: true })
  })

  it('the image does not run as root, and has a health check', () => {
    const lines = read('Containerfile').split('\n')
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
    expect(
      last.filter((line) => /^(USER|VOLUME|HEALTHCHECK|ENTRYPOINT)/.test(line)).map((line) => line.split(' ')[0]),
    ).toEqual(['USER', 'VOLUME', 'HEALTHCHECK', 'ENTRYPOINT'])
    expect(last).toContain('USER node')
  })

  it('systemd-analyze finds no problem in the units', ({ skip }) => {
    if (spawnSync('systemd-analyze', ['--version']).error) {
      return skipped('systemd-analyze is not installed: apt-get install -y systemd', skip)
    }
    // Nothing is installed here.
    const units = ['mainline.service', 'mainline-backup.service', 'mainline-backup.timer'].map((name) => {
      writeFileSync(join(home, name), read(name).replace(/^(ExecStart=)\S+/m, '$1/bin/true'))
      return join(home, name)
    })
    const verified = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
    expect(verified).toMatchObject({ status: 0, stderr: '' })
  })

  it('the stop timeout covers a drain time of up to a minute', () => {
    const needed = (60_000 + stopTimeoutMs) / 1_000
    expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(read('mainline.service'))?.[1])).toBeGreaterThan(needed)
    expect(Number(/stop_grace_period: (\d+)s$/m.exec(read('compose.yaml'))?.[1])).toBeGreaterThan(needed)
  })

  describe('the nightly backup', () => {
    /** The values of a key in a unit, line by line and word by word. */
    const said = (unit: string, name: string) =>
      [...read(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].flatMap(([, value = '']) => value.split(' '))
    const [server, backup] = ['mainline.service', 'mainline-backup.service']
    const guided = blocksOf('docs/guides/operate.md')

    it('is the unit that the guide shows and installs', () => {
      for (const name of ['backup-and-drill', 'mainline-backup.service', 'mainline-backup.timer']) {
        expect(`${guided.find(({ file }) => file === name)?.text}\n`).toBe(read(name))
      }
      const install = guided.find(({ notRun }) => notRun === 'it needs root and systemd')?.text ?? ''
      const [script] = said(backup, 'ExecStart')
      expect(install).toContain(`packaging/backup-and-drill ${script}\n`)
      expect(install).toContain(
        'packaging/mainline-backup.service packaging/mainline-backup.timer /etc/systemd/system\n',
      )
    })

    it('reads the data of the server as the same user, and writes to an existing folder', () => {
      for (const name of ['DynamicUser', 'User', 'EnvironmentFile', 'StateDirectoryMode', 'UMask']) {
        expect(said(backup, name), name).toEqual(said(server, name))
      }
      expect(said(backup, 'Environment')).toEqual(expect.arrayContaining(said(server, 'Environment')))
      const folders = said(backup, 'StateDirectory')
      expect(folders).toEqual(expect.arrayContaining(said(server, 'StateDirectory')))
      expect(folders.map((folder) => `/var/lib/${folder}`)).toContain(said(backup, 'ExecStart')[1])
      const path = said(backup, 'Environment').find((each) => each.startsWith('PATH=')) ?? ''
      // Both are in one folder: mainline, and the Node that its first line looks for.
      expect(dirname(said(server, 'ExecStart')[0] as string)).toBe('/opt/mainline/bin')
      expect(path).toMatch('PATH=/opt/mainline/bin:')
    })

    it('runs with only the environment of its unit', async () => {
      const place = join(home, 'machine')
      const here = (text: string) => text.replaceAll(/\/(opt|var)\//g, `${place}/$1/`)
      for (const folder of [...said(backup, 'StateDirectory').map((each) => `lib/${each}`), 'tmp']) {
        mkdirSync(join(place, 'var', folder), { recursive: true })
      }
      mkdirSync(join(place, 'opt/mainline/bin'), { recursive: true })
      const program = `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`
      writeFileSync(join(place, 'opt/mainline/bin/mainline'), program, { mode: 0o755 })
      const env = Object.fromEntries(
        said(backup, 'Environment').map((each) => {
          const [name = '', value = ''] = each.split('=')
          return [name, here(value)]
        }),
      )
      const service = await openService(readConfig([], env), silent)
      const folder = here(said(backup, 'ExecStart')[1] as string)
      const run = promisify(execFile)
      const { stdout } = await run('packaging/backup-and-drill', [folder], { env }).finally(() => service.close())
      expect(stdout).toMatch(/written and verified[\s\S]*The log is intact/)
      expect(readdirSync(folder)).toHaveLength(1)
      expect(readdirSync(join(place, 'var/tmp')).filter((name) => name.startsWith('tmp.'))).toEqual([])
    })
  })
})
