import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../packages/server/src/testing/postgres.ts'

const mainline = fileURLToPath(new URL('../packages/server/bin/mainline.mjs', import.meta.url))
/** As npm start and the program's first line have it. */
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

/** A user's own settings must not decide what is measured. */
function environment(): NodeJS.ProcessEnv {
  const foreign = /^(MAINLINE_|DATABASE_URL$|PORT$|HOST$|LOG_LEVEL$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

/** The real server, as `mainline serve` starts it. `profiles` is where a profile of it goes when it stops. */
export async function startMainline(flags: readonly string[], profiles?: string): Promise<Server> {
  const port = await freePort()
  const profiling = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []
  const started = performance.now()
  const child = spawn(process.execPath, [...nodeFlags, ...profiling, mainline, 'serve', ...flags, `--port=${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment(),
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const owned = own(child)
  while (!(await isAlive(port))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server did not start:\n${said}`)
    if (performance.now() - started > patience) throw new Error(`the server did not answer:\n${said}`)
    await pause(5)
  }
  return { ...owned, port, startedIn: performance.now() - started }
}

/** Any other command of the program, to its end. */
export function runMainline(args: readonly string[]): void {
  execFileSync(process.execPath, [mainline, ...args], { stdio: ['ignore', 'ignore', 'inherit'], env: environment() })
}

const isAlive = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/healthz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })

/** What stands beside the server, in a process of its own; it is told its task and says what it made of it. */
export interface Limit<Ready> extends Child {
  readonly ready: Ready
  ask<Answer>(question: unknown): Promise<Answer>
}

export async function startLimit<Ready>(file: `${string}.ts`, task: unknown): Promise<Limit<Ready>> {
  const child = fork(fileURLToPath(new URL(`./limits/${file}`, import.meta.url)), { env: environment() })
  const owned = own(child)
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended; its output is above`)))
  // Heard only while a question is open: ending when told to is no failure.
  gone.catch(() => {})
  const ask = async <Answer>(question: unknown): Promise<Answer> => {
    child.send(question as object)
    const [answer] = await Promise.race([once(child, 'message'), gone])
    return answer as Answer
  }
  return { ...owned, ready: await ask<Ready>(task), ask }
}

/** Children do not outlive the bench, however it ends. */
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

/** Resident memory in bytes, as the system counts it. */
export function residentOf({ pid }: Child): number {
  const status = `/proc/${pid}/status`
  if (!existsSync(status))
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })) * 1024
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1]) * 1024
}

/** Processor time used so far, by workers of it too, in microseconds; undefined where there is no /proc to read it from. */
export function processorTimeOf({ pid }: Child): number | undefined {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...workers.map(Number)].reduce((sum, each) => sum + ownTime(`/proc/${each}/stat`), 0)
}

/** Waits until a server has nothing left to do, such as sealing and tallying what was just loaded. */
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
  // After the name, which may hold anything: user and system time are the 12th and 13th, in hundredths of a second.
  const fields = readFileSync(stat, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
