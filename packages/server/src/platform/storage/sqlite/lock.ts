import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Refusal } from '../../refusal.ts'
import { isDamage } from './database.ts'

/** Keeps a second server out of a data directory. The system frees it when the process ends, however it ends. */
export function lockDirectory(directory: string, flag = '--data-dir'): { release(): void } {
  try {
    mkdirSync(directory, { recursive: true })
    const database = new DatabaseSync(join(directory, 'lock.db'), { timeout: 0 })
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    // SQLite would open what it cannot write for reading, and say so only when the first change comes.
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
