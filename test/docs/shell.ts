import { type ChildProcess, spawn } from 'node:child_process'

/** One shell for the blocks of a page, so that later blocks see variables of earlier ones. */
export class Shell {
  readonly #shell: ChildProcess
  readonly #ended: Promise<void>
  #printed = ''
  #complained = ''
  #heard = () => {}

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    // In its own process group: background processes end with it.
    this.#shell = spawn('bash', ['--norc'], { cwd, env, stdio: 'pipe', detached: true })
    this.#ended = new Promise((resolve) => this.#shell.once('exit', () => resolve()))
    this.#shell.stdin?.write('set -eu\n')
    this.#shell.stdout?.on('data', (chunk) => {
      this.#printed += chunk
      this.#heard()
    })
    this.#shell.stderr?.on('data', (chunk) => (this.#complained += chunk))
    this.#shell.stdin?.on('error', () => {})
  }

  /** The output of the commands; an error if the shell exits. */
  async run(commands: string): Promise<string> {
    this.#printed = ''
    this.#complained = ''
    const mark = `-- ${Math.random().toString(36).slice(2)} --`
    const done = new Promise<void>((resolve) => {
      this.#heard = () => {
        if (this.#printed.includes(mark)) resolve()
      }
    })
    this.#shell.stdin?.write(`${commands}\nprintf '%s' '${mark}'\n`)
    const failed = this.#ended.then(() => {
      throw new Error(`it failed:\n${commands}\n${this.#printed}${this.#complained}`)
    })
    failed.catch(() => {})
    await Promise.race([done, failed])
    return this.#printed.slice(0, this.#printed.indexOf(mark))
  }

  async end(): Promise<void> {
    try {
      process.kill(-(this.#shell.pid as number), 'SIGKILL')
    } catch {
      // It has ended already, with all its children.
    }
    await this.#ended
  }
}
