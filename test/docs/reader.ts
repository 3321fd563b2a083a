import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openControlSocket } from '../../packages/server/src/commands/serve/control-socket.ts'
import { readConfig } from '../../packages/server/src/common/config.ts'
import { openService } from '../../packages/server/src/service.ts'
import { putDemo } from '../../packages/server/src/testing/data/demo.ts'
import { makeStore, silent, type TestStore } from '../../packages/server/src/testing/harness.ts'
import { entry } from '../../packages/server/src/testing/process.ts'
import { freePort } from '../../packages/server/src/testing/servers/postgres.ts'
import type { Block } from './blocks.ts'
import { Shell } from './shell.ts'

/** Ports that pages name may be in use, so each is replaced by a free one. */
const ports = [8080, 9000, 9090]
/** The database used in place of the one that a page names. */
const database = 'postgres://mainline@db.example.org/mainline'

const wholly = (text: string) => new RegExp(`\\b${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`, 'g')

/** Follows pages as a user would: in an initially empty folder, page after page on one estate, with a new terminal for each page. */
export class Reader {
  readonly #home = mkdtempSync(join(tmpdir(), 'mainline-reader-'))
  readonly #places = new Map<string, string>()
  #stores: TestStore[] = []
  #shell: Shell | undefined
  #stop: (() => Promise<unknown>) | undefined

  /** The folder contains the parts of a checkout that pages name, relative to its root. */
  async open({ needsDatabase }: { needsDatabase: boolean }): Promise<void> {
    for (const port of ports) this.#places.set(String(port), String(await freePort()))
    if (needsDatabase) {
      const store = await makeStore('postgres')
      this.#stores.push(store)
      this.#places.set(database, store.databaseUrl)
    }
    for (const folder of ['docs', 'integrations', 'packages', 'packaging'])
      symlinkSync(resolve(folder), join(this.#home, folder))
    mkdirSync(join(this.#home, 'bin'))
    this.#program('mainline', `exec '${process.execPath}' '${entry}' "$@"`)
    this.#program('npm', npm)
    this.#program('npx', npx)
    this.#shell = new Shell(this.#home, this.#env())
  }

  /** Starts the next page: a new terminal and no running server. Files, the estate and profiles are kept. */
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
      // Compiling Go's standard library anew would take longer than all pages.
      GOCACHE: process.env.GOCACHE ?? join(homedir(), '.cache/go-build'),
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      MAINLINE_DATA_DIR: join(this.#home, 'data'),
      MAINLINE_SERVER: this.#url,
    }
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#places.get('8080')}`
  }

  /** Replaces the page's paths and addresses with ours, and vice versa. */
  #here(text: string): string {
    return [...this.#places].reduce((now, [theirs, ours]) => now.replaceAll(wholly(theirs), ours), text)
  }

  #there(text: string): string {
    const named = [...this.#places].reduce((now, [theirs, ours]) => now.replaceAll(wholly(ours), theirs), text)
    return named.replaceAll(this.#home, '~')
  }

  /** A block may also be written to a file. */
  write({ file, text }: Block): void {
    if (file !== undefined) writeFileSync(join(this.#home, file), `${this.#here(text)}\n`)
  }

  /** The output of the commands, with the page's paths and addresses. */
  async run({ text }: Pick<Block, 'text'>): Promise<string> {
    // A page about profiles must not have the server set by the environment.
    const unset = text.includes('mainline profile') ? 'unset MAINLINE_SERVER\n' : ''
    const printed = await this.#shell?.run(unset + this.#here(text))
    return this.#there(printed ?? '')
      .replaceAll('\r', '')
      .trimEnd()
  }

  /** Starts a server in place of the previous one, and waits until it is ready. */
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

  /** What `npm start` serves, for a page that starts no server: in this process, which has already loaded the service. */
  async serveHere(): Promise<void> {
    const place = [`--port=${this.#places.get('8080')}`, `--data-dir=${join(this.#home, 'data')}`, '--timezone=UTC']
    const config = readConfig(place, {})
    if (!existsSync(config.dataDir)) await putDemo(config.dataDir)
    const service = await openService(config, silent)
    this.#stop = () => service.close()
    await openControlSocket(service, config.dataDir, silent)
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

  /** A command that runs indefinitely must not exit by itself. */
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

  /** The output of a program. */
  async execute({ text, language }: Block): Promise<string> {
    if (language === 'python') {
      const env = { ...this.#env(), PYTHONPATH: resolve('packages/python'), PYTHONDONTWRITEBYTECODE: '1' }
      const { stdout } = await promisify(execFile)('python3', ['-c', this.#here(text)], { cwd: this.#home, env })
      return stdout.trimEnd()
    }
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

/** What npm runs in a checkout, without preparing the checkout again during the tests. */
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
