import type { CommittedReader } from './handles.ts'

/** What the storage knows of an account's model: which version of it this is. */
export interface AccountModel {
  readonly version: number
}

/** How models are read outside of transactions; the area that owns them says so. */
export interface ModelSource {
  /** The one that was cached last, current or not. */
  latest(reader: CommittedReader, account: string): AccountModel | undefined
  /** The current one. */
  load(reader: CommittedReader, account: string): Promise<AccountModel>
}

export interface ModelsAhead {
  /** A committed model that the account's next change will probably see. No statement is needed while the cached one is current. */
  ahead(account: string): AccountModel | Promise<AccountModel>
  /** The version that a change has read under its lock, committed or not. */
  saw(account: string, version: number): void
}

/**
 * Nearly every change needs the model, and a transaction has no cache. So a committed model is handed to it, which it uses only if
 * its version is the one that the transaction has read under its lock on the account. Then it is the same model: versions count up,
 * so a version that was committed is never also that of a change which is not committed yet.
 */
export function modelsAhead(reader: CommittedReader, source: ModelSource): ModelsAhead {
  /** Only a hint whether the cached model is worth handing in. */
  const seen = new Map<string, number>()
  return {
    ahead(account) {
      const latest = source.latest(reader, account)
      const expected = seen.get(account) ?? latest?.version
      return latest && latest.version === expected ? latest : source.load(reader, account)
    },
    saw: (account, version) => void seen.set(account, version),
  }
}
