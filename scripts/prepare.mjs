// Makes a checkout ready to run. Plain JavaScript for any Node from 20 on, since the pinned one is not there yet.
// Usage: node scripts/prepare.mjs [console] [tools]. The scripts call it themselves: with ignore-scripts npm runs no pre-scripts.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const wanted = new Set(process.argv.slice(2))

installPackages()
bundleLibraries()
if (wanted.has('console')) buildConsole()
if (wanted.has('tools')) installTools()

function installPackages() {
  once('node_modules/.installed', [join(root, 'package-lock.json')], 'Installing packages', () => {
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  })
}

function bundleLibraries() {
  const inputs = ['package-lock.json', 'packages/server/bin/bundled.mjs', 'scripts/bundle.mjs']
  const stamp = 'packages/server/bundled/.built'
  once(
    stamp,
    inputs.map((file) => join(root, file)),
    'Bundling libraries',
    () => {
      run(join(root, 'node_modules/.bin/node'), ['scripts/bundle.mjs'])
    },
  )
}

function buildConsole() {
  const home = join(root, 'packages/console')
  // What the operations are called is taken from the contract when the console is built.
  const sources = [home, join(root, 'packages/contract')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !file.startsWith(join(home, 'dist')) && !/node_modules|\.test\.ts$/.test(file.slice(root.length)))
    .sort()
  once('packages/console/dist/.built', sources, 'Building the console', () => {
    run('npm', ['run', '--silent', '--workspace', '@mainline/console', 'build'])
  })
}

/** PostgreSQL and a browser for the tests, and what the service works with. Installed here only where that is safe to do unasked: Debian, as root. */
function installTools() {
  const isDebian = existsSync('/etc/debian_version') && process.getuid?.() === 0
  const missing = [
    ...(findPostgres() ? [] : ['postgresql']),
    // Chromium without the windows of a desktop: it takes half of the processor time that the whole browser does.
    ...(existsSync('/usr/bin/chromium-headless-shell') || process.env.CHROMIUM ? [] : ['chromium-headless-shell']),
    ...(isDebian ? missingExtras() : []),
  ]
  if (missing.length === 0) return
  if (isDebian) {
    say(`Installing ${missing.join(', ')}`)
    run('apt-get', ['update', '-qq'])
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], {
      DEBIAN_FRONTEND: 'noninteractive',
    })
    return
  }
  fail(
    `The tests need ${missing.join(' and ')}. Install them (on Debian: sudo apt-get install ${missing.join(' ')}), ` +
      'or set POSTGRES_BIN to the folder with initdb and CHROMIUM to the browser.',
  )
}

/** Where these cannot be had, the tests leave clocks alone, try fewer programs against the service, and say so. */
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

/** Does the work only when the content of its inputs is not what it was the last time. */
function once(stamp, inputs, what, work) {
  const hash = createHash('sha256')
  for (const file of inputs) hash.update(file.slice(root.length)).update(readFileSync(file))
  const now = hash.digest('hex')
  const path = join(root, stamp)
  if (existsSync(path) && readFileSync(path, 'utf8') === now) return
  say(what)
  work()
  writeFileSync(path, now)
}

function run(command, args, env = {}) {
  const windows = process.platform === 'win32'
  const done = spawnSync(command, args, {
    cwd: root,
    // What is said here is not what the command that follows is asked for: all of it goes to stderr.
    stdio: ['inherit', 2, 2],
    shell: windows,
    env: { ...process.env, ...env },
  })
  if (done.status !== 0) fail(`'${command} ${args.join(' ')}' failed; its output is above.`)
}

function say(what) {
  process.stderr.write(`${what} ...\n`)
}

function fail(why) {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}
