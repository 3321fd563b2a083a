/** A lock was not free for as long as the statement waits for one. `code` is PostgreSQL's. */
export class LockTimeout extends Error {
  readonly code = '55P03'

  constructor(cause: unknown) {
    super('a lock was not free in time', { cause })
    this.name = 'LockTimeout'
  }
}
