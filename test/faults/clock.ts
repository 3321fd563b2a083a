import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A clock that a process reads instead of the machine's, and that can be set while it runs. */
export interface Clock {
  /** For the environment of the process. */
  readonly env: NodeJS.ProcessEnv
  /** Seconds ahead of the machine's clock; negative for behind. */
  set(seconds: number): void
  remove(): void
}

/** Undefined without libfaketime; clocks are then not changed. */
export function makeClock(): Clock | undefined {
  const library = faketime()
  if (!library) return undefined
  const home = mkdtempSync(join(tmpdir(), 'mainline-clock-'))
  const file = join(home, 'offset')
  const set = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s`)
  set(0)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // Setting the clock does not change its speed.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

function faketime(): string | undefined {
  if (process.platform !== 'linux') return undefined
  const libraries = '/usr/lib'
  const folders = readdirSync(libraries).map((folder) => join(libraries, folder, 'faketime/libfaketimeMT.so.1'))
  return folders.find((file) => existsSync(file))
}
