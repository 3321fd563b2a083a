import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { attendDesk } from '../../packages/server/src/commands/token-desk.ts'
import { readConfig } from '../../packages/server/src/platform/config.ts'
import { openService } from '../../packages/server/src/service.ts'
import { putDemo } from '../../packages/server/src/testing/demo.ts'
import { makeStore, silent, type TestStore } from '../../packages/server/src/testing/harness.ts'
import { freePort } from '../../packages/server/src/testing/postgres.ts'
import { entry } from '../../packages/server/src/testing/process.ts'
import type { Block } from './blocks.ts'
import { Shell } from './shell.ts'

/** In place of these, which pages name and which may be taken, a free port of this machine. */
const ports = [8080, 9000, 9090]
/** A database, where a page names one. */
const database = 'postgres://mainline@db.example.org/mainline'

const wholly = (text: string) => new RegExp(`\\b${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`, 'g')

/** Follows pages as a user would: in a folder that starts empty, page after page on one estate, with a new terminal for each page. */
export class Reader {
  readonly #home = mkdtempSync(join(tmpdir(), 'mainline-reader-'))
  readonly #places = new Map<string, string>()
  #stores: TestStore[] = []
  #shell: Shell | undefined
  #stop: (() => Promise<unknown>) | undefined

  /** The folder holds the parts of a checkout that pages name, as seen from its root. */
  async open({ needsDatabase }: { needsDatabase: boolean }): Promise<void> {
    for (const port of ports) this.#places.set(String(port), String(await freePort()))
    if (needsDatabase) {
      const store = await makeStore('postgres')
      this.#stores.push(store)
      this.#places.set(database, store.databaseUrl)
    }
    for (const folder of ['docs', 'integrations', 'packaging']) symlinkSync(resolve(folder), join(this.#home, folder))
    mkdirSync(join(this.#home, 'bin'))
    this.#program('mainline', `exec '${process.execPath}' '${entry}' "$@"`)
    this.#program('npm', npm)
    this.#program('npx', npx)
    this.#shell = new Shell(this.#home, this.#env())
  }

  /** Begins the next page: a new terminal and no running server. Files, the estate and profiles stay. */
  async turnPage(): Promise<void> {
    await this.#shell?.end()
    await this.stop()
    this.#shell = new Shell(this.#home, this.#env())
  }

  #program(name: string, lines: string): void {
    writeFileSync(join(this.#home, 'bin', name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  }

  #env(): NodeJS.ProcessEnv {
    return {
      PATH: `${this.#home}/bin:${process.env.PATH}`,
      HOME: this.#home,
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      MAINLINE_DATA_DIR: join(this.#home, 'data'),
      MAINLINE_SERVER: this.#url,
    }
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#places.get('8080')}`
  }

  /** The page's words with our places in them, and the other way round. */
  #here(text: string): string {
    return [...this.#places].reduce((now, [theirs, ours]) => now.replaceAll(wholly(theirs), ours), text)
  }

  #there(text: string): string {
    const named = [...this.#places].reduce((now, [theirs, ours]) => now.replaceAll(wholly(ours), theirs), text)
    return named.replaceAll(this.#home, '~')
  }

  /** A block that is a file is written down, too. */
  write({ file, text }: Block): void {
    if (file !== undefined) writeFileSync(join(this.#home, file), `${this.#here(text)}\n`)
  }

  /** What the commands print, in the page's own words. */
  async run({ text }: Pick<Block, 'text'>): Promise<string> {
    // Who keeps profiles must not be told which server to ask.
    const unset = text.includes('mainline profile') ? 'unset MAINLINE_SERVER\n' : ''
    const printed = await this.#shell?.run(unset + this.#here(text))
    return this.#there(printed ?? '')
      .replaceAll('\r', '')
      .trimEnd()
  }

  /** Starts a server in place of the one before, and waits until it is ready. */
  async serve(text: string): Promise<void> {
    await this.stop()
    const env = { ...this.#env(), PORT: this.#places.get('8080'), MAINLINE_REQUEST_LOG: 'off' }
    const server = spawn('bash', ['-c', this.#here(text)], { cwd: this.#home, env, detached: true, stdio: 'pipe' })
    this.#stop = async () => {
      if (server.exitCode !== null) return
      const ended = once(server, 'exit')
      process.kill(-(server.pid as number), 'SIGTERM')
      await ended
    }
    let said = ''
    await new Promise<void>((ready, fail) => {
      const listen = (chunk: Buffer) => {
        said += chunk
        if (said.includes('ready at')) ready()
      }
      server.stdout.on('data', listen)
      server.stderr.on('data', listen)
      server.once('exit', (code) => fail(new Error(`'${text}' ended with ${code}: ${said}`)))
    })
  }

  /** What `npm start` serves, for a page that starts no server itself: in this process, which has already loaded the service. */
  async serveHere(): Promise<void> {
    const place = [`--port=${this.#places.get('8080')}`, `--data-dir=${join(this.#home, 'data')}`, '--timezone=UTC']
    const config = readConfig(place, {})
    if (!existsSync(config.dataDir)) await putDemo(config.dataDir)
    const service = await openService(config, silent)
    this.#stop = () => service.close()
    await attendDesk(service, config.dataDir, silent)
    await service.app.listen({ host: config.host, port: config.port })
  }

  get isServed(): boolean {
    return this.#stop !== undefined
  }

  async stop(): Promise<void> {
    const stop = this.#stop
    this.#stop = undefined
    await stop?.()
  }

  /** What does not end by itself: it must not end by itself. */
  async begin({ text }: Block): Promise<void> {
    const child = spawn('bash', ['-ec', this.#here(text)], {
      cwd: this.#home,
      env: this.#env(),
      detached: true,
      stdio: 'pipe',
    })
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    const ended = once(child, 'exit').then(([code]) => `ended with ${code}: ${said}`)
    const outcome = await Promise.race([ended, pause(2_000, '')])
    if (outcome !== '') throw new Error(`'${text}' ${outcome}`)
    process.kill(-(child.pid as number), 'SIGINT')
    await ended
  }

  /** What a program in TypeScript or JavaScript prints. */
  async execute({ text, language }: Block): Promise<string> {
    const flags = [
      language === 'ts' ? '--input-type=module-typescript' : '--input-type=module',
      '--eval',
      this.#here(text),
    ]
    const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: process.cwd(), env: this.#env() })
    return stdout.trimEnd()
  }

  async close(): Promise<void> {
    await this.#shell?.end()
    await this.stop()
    for (const store of this.#stores) store.remove()
    rmSync(this.#home, { recursive: true, force: true })
  }
}

/** What npm does in a checkout, which is not prepared once more while it is being tested. */
const npm = `case "$*" in
start) exec mainline serve --demo ;;
"run --silent mainline -- "*) shift 4; exec mainline "$@" ;;
esac
echo "npm $*: not here" >&2; exit 1`

/** test/packaging.test.ts installs the package; here `npx mainline` runs the checkout. The package is not on a registry, so no other name works. */
const npx = `[ "$1" = mainline ] || { echo "npx $1: not on a registry" >&2; exit 1; }
shift
exec mainline "$@"`

export const isInstalled = (program: string) => spawnSync('which', [program]).status === 0
