import { type Storage, systemUser } from '../../storage/index.ts'

/** Interval of saving when tokens were last used. */
const saveEveryMs = 60_000

/** Last use of tokens. Saved in batches outside of requests, at most once a minute. */
export interface Uses {
  note(token: number, at: number): void
  /** Saves the pending updates. */
  close(): Promise<void>
}

export function keepUses(storage: Storage): Uses {
  let noted = new Set<number>()
  let writtenAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const write = () => {
    timer = undefined
    const tokens = [...noted]
    noted = new Set()
    writtenAt = Date.now()
    if (tokens.length > 0)
      writing = writing
        .then(() => save(storage, tokens, writtenAt))
        .catch((error) => storage.background.failed('saving when tokens were last used', error))
  }
  return {
    note(token, at) {
      noted.add(token)
      timer ??= setTimeout(write, Math.max(0, writtenAt + saveEveryMs - at)).unref()
    },
    async close() {
      clearTimeout(timer)
      write()
      await writing
    },
  }
}

/** Bookkeeping: neither audit record nor event. */
const save = (storage: Storage, tokens: readonly number[], at: number): Promise<void> =>
  storage.change(
    { user: systemUser, account: '', requestId: '' },
    async (tx) => {
      await tx
        .updateTable('token')
        .set({ last_used: at })
        .where((eb) => tx.dialect.among(eb.ref('id'), tokens, 'integer'))
        .execute()
    },
    { chain: 'none', aside: true },
  )
