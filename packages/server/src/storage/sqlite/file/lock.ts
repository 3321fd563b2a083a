import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Refusal } from '../../../common/refusal.ts'
import { isDamage } from '../database.ts'
import { keepPrivate } from './private-file.ts'

/** Locks a data directory against a second server. The operating system releases the lock when the process ends. */
export function lockDirectory(directory: string, flag = '--data-dir'): { release(): void } {
  try {
    // Permissions of an existing directory are not changed: it may be shared on purpose, and the files are private.
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const lock = join(directory, 'lock.db')
    keepPrivate(lock)
    const database = new DatabaseSync(lock, { timeout: 0 })
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    // SQLite would open an unwritable file for reading, and fail only at the first change.
    const files = ['', 'lock.db'].map((file) => join(directory, file))
    for (const file of files) if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
    return { release: () => database.close() }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (message.includes('locked')) {
      throw new Refusal(
        `Another Mainline is using the data directory ${directory}. Stop it, or choose another directory with ${flag}.`,
      )
    }
    const lock = join(directory, 'lock.db')
    if (isDamage(error)) {
      throw new Refusal(`${lock} is not a lock that Mainline has made. Remove it while no Mainline uses ${directory}.`)
    }
    throw new Refusal(`The data directory ${directory} cannot be used: ${message}.`)
  }
}
