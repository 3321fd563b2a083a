import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { prepared, type Storage, systemUser } from '../../storage/index.ts'
import { secretHash } from '../tokens/tokens.ts'

/** Maximum lifetime of a browser session: a long working day. */
export const sessionSeconds = 12 * 60 * 60

/** After this, a renewal that another process has claimed is considered failed. */
const renewalMs = 30_000

export interface SignedIn {
  readonly user: string
  readonly account: string
}

/** The validity that the provider grants, and the refresh token to extend it; '' if there is none. */
export interface Vouched {
  readonly forMs: number
  readonly refreshToken: string
}

export interface Session extends SignedIn {
  /** Set once the session must be renewed at the provider. */
  readonly due?: { readonly renewAt: number; readonly refreshToken: string }
}

/**
 * Sessions are rows, so that signing out takes effect immediately in every process. The session key is random and stored only as a hash;
 * the refresh token is encrypted with the key, so that the database alone is of no use to an attacker.
 */
export interface Sessions {
  /** Returns the session key for the cookie. */
  begin(who: SignedIn, vouched: Vouched): Promise<string>
  find(key: string): Promise<Session | undefined>
  /** Whether this request may renew the session: refresh tokens may be valid for a single use. */
  claimRenewal(key: string, renewAt: number): Promise<boolean>
  /** Extends the session by the provider's answer. */
  renew(key: string, vouched: Vouched): Promise<void>
  /** The provider did not answer; the next request tries again. */
  postponeRenewal(key: string, renewAt: number): Promise<void>
  end(key: string): Promise<void>
}

const byHash = prepared((reader, { hash: idHash }: { hash: string }) =>
  reader
    .selectFrom('session')
    .select(['user_name', 'account', 'expires', 'renew_at', 'refresh_token'])
    .where('id_hash', '=', idHash),
)

/** Not a change of managed data: without audit record or event, and no account needs to exist. */
const upkeep = { user: systemUser, account: '', requestId: '' }
const quietly = { chain: 'none', aside: true } as const

export function openSessions({ read, change }: Pick<Storage, 'read' | 'change'>): Sessions {
  type Work<T> = Parameters<typeof change<T>>[1]
  const quiet = <T>(work: Work<T>) => change(upkeep, work, quietly)
  /** Without a refresh token the session ends with the provider's token. */
  const times = (now: number, latest: number, { forMs, refreshToken }: Vouched) =>
    refreshToken === ''
      ? { expires: Math.min(latest, now + forMs), renew_at: 0 }
      : { expires: latest, renew_at: now + forMs }
  const sealed = (key: string, { refreshToken }: Vouched) => (refreshToken === '' ? '' : encrypt(key, refreshToken))

  return {
    async begin({ user, account }, vouched) {
      const key = randomBytes(32).toString('base64url')
      await quiet(async (tx) => {
        await tx.deleteFrom('session').where('expires', '<=', tx.now).execute()
        await tx
          .insertInto('session')
          .values({
            id_hash: secretHash(key),
            user_name: user,
            account,
            begun: tx.now,
            ...times(tx.now, tx.now + sessionSeconds * 1000, vouched),
            refresh_token: sealed(key, vouched),
          })
          .execute()
      })
      return key
    },

    async find(key) {
      const [found] = await byHash(read, { hash: secretHash(key) })
      const now = Date.now()
      if (!found || found.expires <= now) return undefined
      const { user_name: user, account, renew_at: renewAt } = found
      if (renewAt === 0 || renewAt > now) return { user, account }
      return { user, account, due: { renewAt, refreshToken: decrypt(key, found.refresh_token) } }
    },

    claimRenewal: (key, renewAt) =>
      quiet(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('session')
          .set({ renew_at: tx.now + renewalMs })
          .where('id_hash', '=', secretHash(key))
          .where('renew_at', '=', renewAt)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }),

    renew: (key, vouched) =>
      quiet(async (tx) => {
        const row = tx.selectFrom('session').select('begun').where('id_hash', '=', secretHash(key))
        const { begun } = (await row.executeTakeFirst()) ?? { begun: 0 }
        await tx
          .updateTable('session')
          .set({
            ...times(tx.now, begun + sessionSeconds * 1000, vouched),
            refresh_token: sealed(key, vouched),
          })
          .where('id_hash', '=', secretHash(key))
          .execute()
      }),

    postponeRenewal: (key, renewAt) =>
      quiet(async (tx) => {
        await tx.updateTable('session').set({ renew_at: renewAt }).where('id_hash', '=', secretHash(key)).execute()
      }),

    end: (key) =>
      quiet(async (tx) => {
        await tx.deleteFrom('session').where('id_hash', '=', secretHash(key)).execute()
      }),
  }
}

/** Derived with a prefix, so that it differs from the stored hash. */
const cipherKey = (key: string): Buffer => hash('sha256', `refresh token ${key}`, 'buffer')
const ivBytes = 12
const tagBytes = 16

function encrypt(key: string, text: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', cipherKey(key), iv)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
}

function decrypt(key: string, text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', cipherKey(key), bytes.subarray(0, ivBytes))
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
}
