// Prepares a checkout: packages, bundled libraries, the console, and tools for the tests. Plain JavaScript for Node 18 and newer, since the pinned
// Node is one of the packages.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findServerNode } from '../packages/server/bin/runtime.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const progressEveryMs = 10_000
const killAfterMs = 2_000

/** `needs` may contain 'console' and 'tools'. Whatever is up to date is skipped. */
export async function prepare(needs) {
  await installPackages()
  await bundleLibraries()
  if (needs.includes('console')) await buildConsole()
  if (needs.includes('tools')) await installTools()
}

async function installPackages() {
  const stamp = 'node_modules/.installed'
  if (!existsSync(join(root, stamp))) {
    say(
      'First start: this installs packages (200 MB to download, 510 MB on disk) and builds the console, which takes a minute or two.',
    )
  }
  await unlessCurrent(stamp, ['package-lock.json'], 'Installing packages', () =>
    // Development packages build the console, and optional ones contain Node: settings of the user must not omit them.
    run([...npm(), 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']),
  )
}

/**
 * The npm that runs this script, which need not be the first in the PATH.
 * @returns {[string, ...string[]]}
 */
function npm() {
  const { npm_execpath: cli, npm_node_execpath: node = process.execPath } = process.env
  return cli && /npm-cli\.c?js$/.test(cli) ? [node, '--require', './scripts/pinned-version.cjs', cli] : ['npm']
}

async function bundleLibraries() {
  const inputs = ['package-lock.json', 'packages/server/bin/bundled.mjs', 'scripts/bundle.mjs']
  await unlessCurrent('packages/server/bundled/.built', inputs, 'Bundling libraries', () =>
    run([findServerNode({ prefer: 'pinned' }), 'scripts/bundle.mjs']),
  )
}

async function buildConsole() {
  const folder = 'packages/console'
  // The console build includes the contract's operations and the client.
  const sources = [folder, 'packages/contract', 'packages/client']
    .flatMap(filesBelow)
    .filter((file) => !file.startsWith(`${folder}/dist/`) && !/node_modules|\.test\.ts$/.test(file))
  await unlessCurrent(`${folder}/dist/.built`, sources.sort(), 'Building the console', () =>
    run([findServerNode({ prefer: 'pinned' }), 'node_modules/vite/bin/vite.js', 'build', folder, '--logLevel=warn']),
  )
}

/** Implemented here, since the recursive option of readdirSync came with Node 18.17. */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

/** PostgreSQL, a browser and other programs for the tests. Installed only on Debian as root; elsewhere the user is asked to install them. */
async function installTools() {
  const isDebian = existsSync('/etc/debian_version') && process.getuid?.() === 0
  const missing = [
    ...(findPostgres() ? [] : ['postgresql']),
    // Chromium without a desktop window: it takes half of the CPU time of the whole browser.
    ...(existsSync('/usr/bin/chromium-headless-shell') || process.env.CHROMIUM ? [] : ['chromium-headless-shell']),
    ...(isDebian ? missingExtras() : []),
  ]
  if (missing.length === 0) return
  if (isDebian) {
    const noQuestions = { DEBIAN_FRONTEND: 'noninteractive' }
    await step(`Installing ${missing.join(', ')}`, async () => {
      await run(['apt-get', 'update', '-qq'])
      await run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing], noQuestions)
    })
    return
  }
  fail(
    `The tests need ${missing.join(' and ')}. Install them (on Debian: sudo apt-get install ${missing.join(' ')}), ` +
      'or set POSTGRES_BIN to the folder with initdb and CHROMIUM to the browser.',
  )
}

/** If these cannot be installed, the tests do not change clocks, run fewer programs against the service, and report it. */
function missingExtras() {
  const programs = {
    prometheus: 'prometheus',
    'ansible-inventory': 'ansible-core',
    zsh: 'zsh',
    pgbouncer: 'pgbouncer',
    fish: 'fish',
    go: 'golang-go',
    java: 'default-jdk-headless',
    python3: 'python3',
    nginx: 'nginx-light',
    caddy: 'caddy',
  }
  const missing = Object.entries(programs).filter(([program]) => spawnSync('which', [program]).status !== 0)
  return [...(findFaketime() ? [] : ['libfaketime']), ...missing.map(([, name]) => name)]
}

function findPostgres() {
  if (process.env.POSTGRES_BIN) return true
  const debian = '/usr/lib/postgresql'
  if (existsSync(debian)) {
    return readdirSync(debian).some((version) => existsSync(join(debian, version, 'bin/initdb')))
  }
  return spawnSync('initdb', ['--version']).status === 0
}

function findFaketime() {
  return readdirSync('/usr/lib').some((folder) => existsSync(join('/usr/lib', folder, 'faketime')))
}

/** Runs the step unless its stamp says that it was done for the same inputs on the same platform. */
async function unlessCurrent(stamp, inputs, what, work) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const file of inputs) hash.update(file).update(readFileSync(join(root, file)))
  const now = hash.digest('hex')
  const path = join(root, stamp)
  if (existsSync(path) && readFileSync(path, 'utf8') === now) return
  await step(what, work)
  writeFileSync(path, now)
}

/** Shows the current step and its duration, so that a slow network does not look like a hang. */
async function step(what, work) {
  const started = Date.now()
  const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`
  say(`${what} ...`)
  const progress = setInterval(() => say(`${what} ... ${elapsed()} so far`), progressEveryMs)
  await work()
  clearInterval(progress)
  say(`${what}: done in ${elapsed()}`)
}

/** All output goes to stderr: stdout belongs to the program that is run afterwards. */
function run([command, ...args], env = {}) {
  const spelled = [command, ...args].join(' ')
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['inherit', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && command === 'npm',
      env: { ...process.env, ...env },
    })
    let hasPrinted = false
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        hasPrinted = true
        process.stderr.write(chunk)
      })
    }
    const forward = (signal) => {
      child.kill(signal)
      // npm ci runs on for minutes after SIGTERM. Its leftovers are replaced by the next run; installations of system packages are not interrupted.
      if (command !== 'apt-get') setTimeout(() => child.kill('SIGKILL'), killAfterMs).unref()
    }
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, forward)
    child.once('error', (error) => fail(`'${spelled}' cannot be started: ${error.message}.`))
    child.once('close', (code, signal) => {
      for (const each of ['SIGINT', 'SIGTERM']) process.off(each, forward)
      if (code === 0) return resolve(undefined)
      const how = signal ? `was ended by ${signal}` : `failed with exit code ${code}`
      fail(`'${spelled}' ${how}; ${hasPrinted ? 'its output is above' : 'it printed nothing'}.`)
    })
  })
}

function say(what) {
  process.stderr.write(`${what}\n`)
}

function fail(why) {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}
