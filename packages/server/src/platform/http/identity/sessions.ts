import { randomBytes } from 'node:crypto'
import { prepared, type Storage, systemUser } from '../../storage/index.ts'
import { hashOf } from './tokens.ts'

/** How long a browser stays signed in, in seconds: a long working day. */
export const sessionSeconds = 12 * 60 * 60

export interface SignedIn {
  readonly user: string
  readonly account: string
}

/**
 * Browsers that are signed in are rows, so that signing out holds at once and in every process. What the browser keeps is
 * random and stored only as its hash.
 */
export interface Sessions {
  /** Returns what the browser is to keep. */
  begin(who: SignedIn): Promise<string>
  find(key: string): Promise<SignedIn | undefined>
  end(key: string): Promise<void>
}

const byHash = prepared((reader, { hash }: { hash: string }) =>
  reader.selectFrom('session').select(['user_name', 'account', 'expires']).where('id_hash', '=', hash),
)

/** No change of the estate: neither audit nor event, and no account need exist. */
const upkeep = { user: systemUser, account: '', requestId: '' }
const quietly = { chain: 'none', aside: true } as const

export const openSessions = ({ read, change }: Pick<Storage, 'read' | 'change'>): Sessions => ({
  async begin({ user, account }) {
    const key = randomBytes(32).toString('base64url')
    const work: Parameters<typeof change<void>>[1] = async (tx) => {
      await tx.deleteFrom('session').where('expires', '<=', tx.now).execute()
      const expires = tx.now + sessionSeconds * 1000
      await tx
        .insertInto('session')
        .values({ id_hash: hashOf(key), user_name: user, account, expires })
        .execute()
    }
    await change(upkeep, work, quietly)
    return key
  },

  async find(key) {
    const [found] = await byHash(read, { hash: hashOf(key) })
    return found && found.expires > Date.now() ? { user: found.user_name, account: found.account } : undefined
  },

  async end(key) {
    await change(
      upkeep,
      async (tx) => void (await tx.deleteFrom('session').where('id_hash', '=', hashOf(key)).execute()),
      quietly,
    )
  },
})
