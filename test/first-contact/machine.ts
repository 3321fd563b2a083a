import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

export interface Versions {
  readonly npm: string
  readonly node: string
}

/** A machine of a new user: this Node and this npm are the only ones in its PATH. */
export interface Machine {
  readonly env: NodeJS.ProcessEnv
  run(command: string, cwd: string): Promise<{ stdout: string; stderr: string }>
  /** Starts a command in a process group of its own, and waits until a server answers at the port. */
  serve(command: string, cwd: string, port: number): Promise<Served>
}

export interface Served {
  readonly child: ChildProcess
  /** All output so far. */
  readonly printed: () => string
  /** Milliseconds from the start to the first response. */
  readonly startedInMs: number
  /** Sends a signal to the started process, or to its whole group, and waits until all of them have ended. */
  stop(signal: NodeJS.Signals, to: 'process' | 'group'): Promise<number | null>
}

/** The package that contains Node for this platform; the machine has an older version of it. */
const nodePackage = () =>
  readdirSync('node_modules').find((name) => /^node-(bin-)?(linux|darwin|win)-/.test(name)) ?? ''

/** Installing takes minutes on a busy machine. */
export const patienceMs = 600_000
/** The server itself waits at most 30 seconds for running requests. */
const stopMs = 60_000

/**
 * Installs both versions as packages below a folder; throws npm's output if there is no registry. Nothing else is installed below it: npm would take
 * it for the project.
 */
export async function makeMachine(versions: Versions, home: string): Promise<Machine> {
  const name = nodePackage()
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"private":true}')
  const packages = [`npm@${versions.npm}`, `${name}@${versions.node}`]
  const quick = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--no-save']
  await promisify(execFile)('npm', ['install', ...quick, ...packages], { cwd: home, env: outside(process.env) })
  symlinkSync(join(home, 'node_modules', name, 'bin/node'), join(home, 'bin/node'))
  for (const program of ['npm', 'npx']) {
    const cli = join(home, 'node_modules/npm/bin', `${program}-cli.js`)
    writeFileSync(join(home, 'bin', program), `#!/bin/sh\nexec '${home}/bin/node' '${cli}' "$@"\n`, { mode: 0o755 })
  }
  const env = {
    ...outside(process.env),
    npm_config_prefer_offline: 'true',
    npm_config_fetch_retries: '0',
    PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`,
  }
  return {
    env,
    run: (command, cwd) => promisify(execFile)('sh', ['-ec', command], { cwd, env, maxBuffer: 1e8 }),
    serve: (command, cwd, port) =>
      serve(command, { cwd, env: { ...env, PORT: String(port), MAINLINE_REQUEST_LOG: 'off' } }, port),
  }
}

/** Without the variables by which npm tells its scripts about this project. */
export const outside = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !/^npm_(?!config_(registry|cache|userconfig|globalconfig)$)|^INIT_CWD$|^NODE$|^NODE_COMPILE_CACHE$/i.test(name),
    ),
  )

export const isUnreachable = (error: unknown) =>
  /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH/.test(String((error as { stderr?: string }).stderr))

async function serve(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }, port: number): Promise<Served> {
  const started = performance.now()
  const child = spawn('sh', ['-c', `exec ${command}`], {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const group = -(child.pid as number)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  // When this process exits, all processes it has started exit.
  const kill = () => signalTo(group, 'SIGKILL')
  process.once('exit', kill)
  while (!(printed.includes(`ready at http://127.0.0.1:${port}`) && (await isServed(port)))) {
    if (child.exitCode !== null || performance.now() - started > patienceMs) {
      kill()
      throw new Error(`'${command}' does not serve:\n${printed}`)
    }
    await pause(50)
  }
  const startedInMs = performance.now() - started
  return {
    child,
    printed: () => printed,
    startedInMs,
    async stop(signal, to) {
      signalTo(to === 'group' ? group : -group, signal)
      const inTime = await Promise.race([ended, pause(stopMs, undefined, { ref: false })])
      // Processes that npm or npx did not wait for may still be stopping.
      const until = performance.now() + stopMs
      while (isRunning(-group) && performance.now() < until) await pause(100)
      const isLeft = isRunning(-group)
      kill()
      process.off('exit', kill)
      if (!inTime) throw new Error(`${signal} to the ${to} did not end '${command}':\n${printed}`)
      if (isLeft) throw new Error(`${signal} to the ${to} ended '${command}' and left its server behind`)
      return inTime[0]
    },
  }
}

/** Whether a process of a group runs; zombies do not count. */
function isRunning(group: number): boolean {
  const rows = execFileSync('ps', ['-e', '-o', 'pgid=,stat='], { encoding: 'utf8' }).split('\n')
  return rows.some((row) => new RegExp(`^\\s*${group}\\s+[^Z]`).test(row))
}

function signalTo(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const isServed = (port: number) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** Every tracked file, and untracked ones that are not ignored. */
export function copyCheckout(into: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  for (const file of listed.split('\n').filter(Boolean)) cpSync(file, join(into, file), { force: true })
}

/**
 * The packages of this checkout as an npm before 11.6.2 leaves them: without node_modules/.bin/node. Built files are copied, so that nothing is
 * installed or built again.
 */
export function linkPackages(into: string): void {
  mkdirSync(join(into, 'node_modules/@mainline'), { recursive: true })
  for (const name of readdirSync('node_modules').filter((each) => each !== '@mainline' && !each.startsWith('.'))) {
    symlinkSync(join(process.cwd(), 'node_modules', name), join(into, 'node_modules', name))
  }
  for (const name of readdirSync(join(into, 'packages'))) {
    symlinkSync(join(into, 'packages', name), join(into, 'node_modules/@mainline', name))
  }
  for (const built of ['node_modules/.installed', 'packages/server/bundled', 'packages/console/dist']) {
    cpSync(built, join(into, built), { recursive: true })
  }
}
