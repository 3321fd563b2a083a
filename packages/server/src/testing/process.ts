import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Answer, call, type TestStore } from './harness.ts'
import { heapAt } from './inspect/heap.ts'

export const entry = fileURLToPath(new URL('../../bin/mainline.mjs', import.meta.url))

export interface ServerProcess {
  /** Everything that it has written since it was started. */
  printed(): string
  readonly url: string
  readonly child: ChildProcess
  /** The log line with the address it listens on. */
  readonly started: Record<string, unknown>
  call<Data = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<Data>>
  /** Heap in megabytes, for a server started with `inspected` in its environment. */
  heap(): Promise<number>
  /** Terminates it and waits until it has exited; returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

let endsWithSignal = false

/** Vitest terminates its processes by a signal, which would leave their child processes running. */
export function endWithSignal(): void {
  if (!endsWithSignal) process.once('SIGTERM', () => process.exit(1))
  endsWithSignal = true
}

/** A server in its own process, which can be killed. */
export async function spawnServer(
  store: Pick<TestStore, 'flags'>,
  flags: string[] = [],
  env: NodeJS.ProcessEnv = {},
  program = entry,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program, 'serve', '--port=0', ...store.flags, '--request-log=off', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  })
  // However a test ends, its servers end with it.
  endWithSignal()
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let printed = ''
  const print = (chunk: Buffer) => {
    printed += chunk
  }
  child.stdout?.on('data', print)
  child.stderr?.on('data', print)
  const { url, inspector, started } = await greeted(child)
  return {
    url,
    child,
    started,
    printed: () => printed,
    call: (method, path, body) => call(url, method, path, body),
    heap: () => heapAt(inspector),
    async end(signal) {
      child.kill(signal)
      return exited
    },
  }
}

/** Waits for the line with its address; rejects with its output if it exits. */
function greeted(child: ChildProcess): Promise<{ url: string; inspector: string; started: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    let said = ''
    const listen = (chunk: Buffer) => {
      said += chunk
      const [line, url] = /^.*ready at (http:[^\s"]+).*\n/m.exec(said) ?? []
      const [inspector = ''] = /ws:\S+/.exec(said) ?? []
      if (line && url) resolve({ url, inspector, started: JSON.parse(line) })
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('exit', (code) => reject(new Error(`exited with ${code}: ${said}`)))
  })
}

/** Runs a command to its end. */
export function runCommand(args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [entry, ...args], { env: { PATH: process.env.PATH } })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.once('close', (code) => resolve({ code, output }))
  })
}
