import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk that can be filled. Where none can be mounted, a directory whose files cannot grow. */
export interface Disk {
  readonly path: string
  /** Prevents all further writes of the process. */
  fill(pid: number): void
  free(pid: number): void
  /** Undefined where it cannot be done. */
  readOnly?: (on: boolean) => void
  remove(): void
}

const size = '96m'

export function makeDisk(): Disk {
  const path = mkdtempSync(join(tmpdir(), 'mainline-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'mainline', path]).status === 0
  return mounted ? mountedDisk(path) : limitedFiles(path)
}

function mountedDisk(path: string): Disk {
  const ballast = join(path, 'ballast')
  const unmount = () => spawnSync('umount', ['-l', path])
  process.once('exit', unmount)
  return {
    path,
    fill() {
      const file = openSync(ballast, 'w')
      // Other processes write concurrently, so the free space is filled repeatedly, until no byte is left.
      for (const bytes of [1 << 20, 1 << 12, 1]) while (written(file, bytes));
      closeSync(file)
    },
    free: () => rmSync(ballast, { force: true }),
    readOnly: (on) => void execFileSync('mount', ['-o', `remount,${on ? 'ro' : 'rw'}`, path]),
    remove() {
      process.off('exit', unmount)
      unmount()
      rmSync(path, { recursive: true, force: true })
    },
  }
}

function written(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) > 0
  } catch {
    return false
  }
}

function limitedFiles(path: string): Disk {
  const limit = (pid: number, bytes: string) => void execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`])
  return {
    path,
    fill: (pid) => limit(pid, '4096'),
    free: (pid) => limit(pid, 'unlimited'),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
