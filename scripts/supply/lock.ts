import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package in the lock file: exactly these are installed. */
export interface Locked {
  readonly path: string
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Used for builds and tests only, not in the service. */
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

/** All third-party packages. */
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

/** The package.json of the installed package; undefined if it is for another platform. */
export function licenceOnDisk(path: string): string | undefined {
  const file = join(path, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { license?: string }).license : undefined
}
