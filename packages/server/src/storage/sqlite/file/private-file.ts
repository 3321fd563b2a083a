import { chmodSync, closeSync, openSync } from 'node:fs'
import { errorCodeOf } from '../../../common/error-code.ts'

/**
 * Sets mode 0600, creating the file if missing. SQLite gives the files beside a database the database's permissions. A file of another
 * user is left unchanged; opening it shows whether it is usable.
 */
export function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
  } catch (error) {
    if (!['EPERM', 'EACCES', 'EROFS', 'EISDIR', 'ENOENT'].includes(errorCodeOf(error))) throw error
  }
}
