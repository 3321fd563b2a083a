// npm run first-contact: the full form. For each npm a fresh clone is started, stopped and started again, and the package is installed into an empty
// folder and below a prefix, as the guides say. Nothing is copied from this checkout.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../../packages/server/src/testing/servers/postgres.ts'
import { type Machine, makeMachine } from './machine.ts'
import { allVersions } from './versions.ts'

const usage = `Usage: npm run first-contact -- [flags]

  --npm 10   only the versions of npm that begin with this
  --test     runs npm test in each clone, too: ten minutes or more for each
`
const { values } = parseArgs({
  options: { npm: { type: 'string', default: '' }, test: { type: 'boolean' }, help: { type: 'boolean' } },
})
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
const root = resolve(import.meta.dirname, '../..')
const home = mkdtempSync(join(tmpdir(), 'mainline-first-contact-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.once('exit', () => rmSync(home, { recursive: true, force: true }))

const packed = execFileSync(process.execPath, ['scripts/pack.ts', join(home, 'packed')], {
  cwd: root,
  encoding: 'utf8',
})
const [tarball = ''] = packed.split('\n')

let failures = 0
for (const versions of allVersions.filter(({ npm }) => npm.startsWith(values.npm))) {
  say(`npm ${versions.npm} on Node ${versions.node}`)
  const place = join(home, versions.npm)
  const machine = await makeMachine(versions, join(place, 'machine'))
  const steps = {
    clone: tryClone,
    package: tryPackage,
    prefix: tryPrefix,
    ...(values.test && { 'npm test': runTests }),
  }
  for (const [name, step] of Object.entries(steps)) {
    try {
      say(`  ${name}: ${await step(machine, place, versions)}`)
    } catch (error) {
      failures++
      const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
      say(`  ${name}: FAILED\n${message}\n${stdout}${stderr}`)
    }
  }
  rmSync(place, { recursive: true, force: true })
}
say(failures === 0 ? '\nAll well.' : `\n${failures} failed.`)
process.exit(failures === 0 ? 0 : 1)

type Tried = (typeof allVersions)[number]

async function tryClone(machine: Machine, place: string, { passesSignals = true, stopCode = 0 }: Tried) {
  const clone = join(place, 'clone')
  const started = performance.now()
  execFileSync('git', ['clone', '--quiet', root, clone])
  const cloned = performance.now() - started
  const first = await machine.serve('npm start', clone, await freePort())
  expectCode(await first.stop('SIGTERM', passesSignals ? 'process' : 'group'), stopCode)
  const second = await machine.serve('npm start', clone, await freePort())
  expectCode(await second.stop('SIGINT', passesSignals ? 'process' : 'group'), stopCode)
  return `first answer ${seconds(cloned + first.startedInMs)} after git clone began, ${seconds(second.startedInMs)} the second time`
}

async function runTests(machine: Machine, place: string) {
  const started = performance.now()
  await machine.run('npm test', join(place, 'clone'))
  return `passed in ${seconds(performance.now() - started)}`
}

async function tryPackage(machine: Machine, place: string, { passesSignals = true }: Tried) {
  const folder = join(place, 'folder')
  mkdirSync(folder)
  const started = performance.now()
  await machine.run(`npm install --loglevel=error '${tarball}'`, folder)
  const installed = performance.now() - started
  const first = await machine.serve('npx mainline serve --demo', folder, await freePort())
  // npx exits by the signal that has ended its shell, not with the server's exit code.
  await first.stop('SIGTERM', passesSignals ? 'process' : 'group')
  expectGraceful(folder)
  const second = await machine.serve('npx mainline serve --demo', folder, await freePort())
  await second.stop('SIGINT', 'group')
  expectGraceful(folder)
  return `installed in ${seconds(installed)}, served ${seconds(first.startedInMs)} later`
}

/** As the guide installs it for systemd. */
async function tryPrefix(machine: Machine, place: string) {
  const prefix = join(place, 'opt')
  await machine.run(`npm install --global --prefix '${prefix}' --loglevel=error '${tarball}'`, place)
  await machine.run(
    `ln -sf ${prefix}/lib/node_modules/@mainline/server/node_modules/node-linux-*/bin/node '${prefix}/bin/node'`,
    place,
  )
  const program = `${prefix}/bin/node ${prefix}/lib/node_modules/@mainline/server/bin/mainline.mjs`
  const served = await machine.serve(`${program} serve --data-dir='${place}/data'`, place, await freePort())
  expectCode(await served.stop('SIGTERM', 'process'), 0)
  const { stdout } = await machine.run(`'${prefix}/bin/mainline' --version`, place)
  return `served; mainline ${stdout.trim()}`
}

/** A graceful stop has folded the write-ahead log into the database. */
function expectGraceful(folder: string): void {
  if (existsSync(join(folder, 'data/mainline.db-wal'))) throw new Error('the server was not stopped gracefully')
}

function expectCode(code: number | null, expected: number): void {
  if (code !== expected) throw new Error(`it ended with ${code}, not with ${expected}`)
}
