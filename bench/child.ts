import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../packages/server/src/testing/servers/postgres.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const program = 'packages/server/bin/mainline.mjs'
const mainline = join(root, program)
/** As in npm start and the first line of the program. */
const nodeFlags = ['--max-semi-space-size=8']
/** How long a server may take to start or to stop, in milliseconds. */
const patience = 60_000

export interface Child {
  readonly pid: number
  stop(): Promise<void>
}

export interface Server extends Child {
  readonly port: number
  /** From the start of the process to its first answer, in milliseconds. */
  readonly startedIn: number
}

/** Settings of the user's environment must not affect the results. */
function environment(): NodeJS.ProcessEnv {
  const foreign = /^(MAINLINE_|DATABASE_URL$|PORT$|HOST$|LOG_LEVEL$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

/** The real server, as `mainline serve` starts it. `profiles` is the folder for a CPU profile, written when it stops; `tree` another checkout. */
export async function startMainline(flags: readonly string[], profiles?: string, tree = root): Promise<Server> {
  const port = await freePort()
  const profiling = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []
  const started = performance.now()
  const args = [join(tree, program), 'serve', ...flags, `--port=${port}`]
  const child = spawn(process.execPath, [...nodeFlags, ...profiling, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment(),
  })
  const owned = await untilAlive(child, { port, path: '/healthz' })
  return { ...owned, port, startedIn: performance.now() - started }
}

/** Runs another command of the program to its end, and returns its output. */
export function runMainline(args: readonly string[]): string {
  return execFileSync(process.execPath, [mainline, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment(),
  })
}

/** A program that is not ours, with this environment and no other. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

/** Where a server answers 200 once it has started. */
interface Probe {
  readonly port: number
  readonly path: string
}

export function startProgram({ command, args, folder, environment: env }: Program, probe: Probe): Promise<Child> {
  return untilAlive(spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] }), probe)
}

async function untilAlive(child: ChildProcess, probe: Probe): Promise<Child> {
  const started = performance.now()
  let said = ''
  child.stderr?.on('data', (text) => {
    said += text
  })
  const owned = own(child)
  while (!(await isAlive(probe))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server did not start:\n${said}`)
    if (performance.now() - started > patience) throw new Error(`the server did not answer:\n${said}`)
    await pause(5)
  }
  return owned
}

const isAlive = ({ port, path }: Probe): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })

/** A helper of a measurement in its own process; it receives its task as a message and sends back the result. */
export interface Limit<Ready> extends Child {
  readonly ready: Ready
  ask<Answer>(question: unknown): Promise<Answer>
}

export async function startLimit<Ready>(file: `${string}.ts`, task: unknown): Promise<Limit<Ready>> {
  const child = fork(fileURLToPath(new URL(`./limits/${file}`, import.meta.url)), { env: environment() })
  const owned = own(child)
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended; its output is above`)))
  // Listened to only while a request is pending: an exit after the order to stop is no failure.
  gone.catch(() => {})
  const ask = async <Answer>(question: unknown): Promise<Answer> => {
    child.send(question as object)
    const [answer] = await Promise.race([once(child, 'message'), gone])
    return answer as Answer
  }
  return { ...owned, ready: await ask<Ready>(task), ask }
}

/** Children must not outlive the bench, however it ends. */
function own(child: ChildProcess): Child {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  return {
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM')
      const impatient = setTimeout(kill, patience)
      await exited
      clearTimeout(impatient)
      process.off('exit', kill)
    },
  }
}

/** Resident memory in bytes, as reported by the system. */
export function residentOf({ pid }: Child): number {
  const status = `/proc/${pid}/status`
  if (!existsSync(status))
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })) * 1024
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1]) * 1024
}

/** CPU time used so far, workers included, in microseconds; undefined without /proc. */
export function processorTimeOf({ pid }: Child): number | undefined {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...workers.map(Number)].reduce((sum, each) => sum + ownTime(`/proc/${each}/stat`), 0)
}

/** Waits until a server is idle: sealing and tallying of the loaded records is finished. */
export async function untilAtRest(child: Child): Promise<void> {
  const until = performance.now() + patience
  for (let before = processorTimeOf(child), used = Infinity; used > 20_000 && performance.now() < until; ) {
    await pause(1_000)
    const now = processorTimeOf(child)
    used = (now ?? 0) - (before ?? 0)
    before = now
  }
}

function ownTime(stat: string): number {
  // After the name, which may contain any character: user and system time are the 12th and 13th field, in hundredths of a second.
  const fields = readFileSync(stat, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
