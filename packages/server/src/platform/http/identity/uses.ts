import { type Storage, systemUser } from '../../storage/index.ts'

/** How often it is written down which tokens were used, in milliseconds. */
const interval = 60_000

/** When tokens were last used. Written off the path of the request and in one go, at most once a minute. */
export interface Uses {
  note(token: number, at: number): void
  /** Writes what has been noted. */
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
      timer ??= setTimeout(write, Math.max(0, writtenAt + interval - at)).unref()
    },
    async close() {
      clearTimeout(timer)
      write()
      await writing
    },
  }
}

/** No change of anybody's: neither audit nor event. */
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
