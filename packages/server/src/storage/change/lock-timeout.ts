/** Lock timeout of the first attempt at a change; after it, the change announces that it waits for its turn. */
export const briefLockTimeoutMs = 200

/** The statement could not get a lock within its lock timeout. `code` is PostgreSQL's. */
export class LockTimeout extends Error {
  readonly code = '55P03'

  constructor(cause: unknown) {
    super('a lock was not free in time', { cause })
    this.name = 'LockTimeout'
  }
}
