import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package that the lock file names: what is installed, and nothing else is. */
export interface Locked {
  readonly path: string
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Only builds and tests: no part of what is served. */
  readonly isTool: boolean
  readonly integrity: string | undefined
  readonly resolved: string | undefined
}

interface Entry {
  version?: string
  license?: string
  dev?: boolean
  link?: boolean
  integrity?: string
  resolved?: string
}

/** All packages of others. */
export function readLock(root = '.'): Locked[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>
  }
  return Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.link)
    .map(([path, entry]) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      licence: entry.license ?? licenceOnDisk(join(root, path)) ?? 'unknown',
      isTool: entry.dev === true,
      integrity: entry.integrity,
      resolved: entry.resolved,
    }))
}

/** What the package says of itself where it is installed; undefined where it is for another machine. */
export function licenceOnDisk(path: string): string | undefined {
  const file = join(path, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { license?: string }).license : undefined
}
