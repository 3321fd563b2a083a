import type { CommittedReader } from '../handles.ts'

/** An account's model, of which the storage knows only the version. */
export interface AccountModel {
  readonly version: number
}

/** Reads models outside of transactions; implemented by the model area. */
export interface ModelSource {
  /** The last cached one, current or not. */
  latest(reader: CommittedReader, account: string): AccountModel | undefined
  /** The current one. */
  load(reader: CommittedReader, account: string): Promise<AccountModel>
}

export interface ModelsAhead {
  /** The committed model that the account's next change will probably see. Needs no query while the cached one is current. */
  ahead(account: string): AccountModel | Promise<AccountModel>
  /** Notes the version that a change has read under its lock, committed or not. */
  saw(account: string, version: number): void
}

/**
 * Nearly every change needs the model, and transactions have no cache. So a committed model is passed to the transaction, which uses it
 * only if its version equals the one read under the account's lock. That is safe because a version is the unique stamp of one change.
 */
export function modelsAhead(reader: CommittedReader, source: ModelSource): ModelsAhead {
  /** Only a hint whether the cached model is probably current. */
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
