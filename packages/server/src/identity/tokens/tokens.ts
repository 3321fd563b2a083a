import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { longestAccount } from '@mainline/contract'
import { misused, Refusal } from '../../common/refusal.ts'
import {
  type Actor,
  type CommittedReader,
  cached,
  preparedShared,
  type Snapshot,
  type Storage,
  type Tables,
} from '../../storage/index.ts'
import { isName } from '../identified.ts'

type Row = Omit<Tables['token'], 'id'> & { id: number }

export interface TokenRequest {
  readonly user: string
  readonly account: string
  readonly name: string
  readonly readOnly: boolean
  /** Null: it does not expire. */
  readonly lifetimeMs: number | null
}

/** A token without its secret. */
export type TokenRecord = Omit<Row, 'secret_hash'>

/** Creates and revokes tokens for the command line, in this process or in the one that owns the storage. */
export interface TokenAdmin {
  /** The only place that returns the token's text. */
  create(operator: string, asked: TokenRequest): Promise<{ text: string; token: TokenRecord }>
  list(): Promise<TokenRecord[]>
  revoke(operator: string, id: number): Promise<TokenRecord>
}

const shown = [
  'id',
  'account',
  'user_name',
  'name',
  'read_only',
  'create_time',
  'expires',
  'last_used',
  'revoked',
] as const

export function openTokenAdmin(
  storage: Storage,
  openAccount: (account: string) => Promise<void> | undefined,
): TokenAdmin {
  const actorOf = (operator: string, account: string): Actor => ({ user: operator, account, requestId: '' })
  return {
    async create(operator, asked) {
      refuseUnfit(asked)
      await openAccount(asked.account)
      const secret = randomBytes(32).toString('base64url')
      const token = await storage.change(actorOf(operator, asked.account), async (tx) => {
        const made = await tx
          .insertInto('token')
          .values({
            account: asked.account,
            user_name: asked.user,
            name: asked.name,
            secret_hash: secretHash(secret),
            read_only: asked.readOnly ? 1 : 0,
            create_time: tx.now,
            expires: asked.lifetimeMs === null ? null : tx.now + asked.lifetimeMs,
          })
          .returning(shown)
          .executeTakeFirstOrThrow()
        tx.record({
          ...audited(made),
          operation: 'add',
          description: 'create token',
          before: null,
          after: auditedToken(made),
        })
        return made
      })
      return { text: `ml_${token.id}_${secret}`, token }
    },

    list: () => storage.read.selectFrom('token').select(shown).orderBy('id').execute(),

    async revoke(operator, id) {
      const found = await storage.read.selectFrom('token').select('account').where('id', '=', id).executeTakeFirst()
      if (!found) throw new Refusal(`There is no token ${id}. 'mainline token list' shows them.`)
      return storage.change(actorOf(operator, found.account), async (tx) => {
        const revoked = await tx
          .updateTable('token')
          .set({ revoked: tx.now })
          .where('id', '=', id)
          .where('revoked', 'is', null)
          .returning(shown)
          .executeTakeFirst()
        if (!revoked) throw new Refusal(`Token ${id} has been revoked before.`)
        const before = auditedToken(revoked)
        tx.record({ ...audited(revoked), operation: 'delete', description: 'revoke token', before, after: null })
        return revoked
      })
    },
  }
}

const audited = ({ id }: TokenRecord) => ({ object: 'privilege', instance: id, business: 0, revision: 0, events: [] })

const auditedToken = ({ id, name, user_name, read_only, expires }: TokenRecord): Snapshot => ({
  token_id: id,
  token_name: name,
  user_name,
  read_only: read_only === 1,
  expires,
})

function refuseUnfit({ user, account, name, lifetimeMs }: TokenRequest): void {
  if (!isName(user))
    throw misused('--user must be a name of at most 128 characters, without control characters and not only blanks.')
  if (!isName(account) || account.length > longestAccount) {
    throw misused(
      `--account must be at most ${longestAccount} characters, without control characters and not only blanks.`,
    )
  }
  if (name !== '' && !isName(name)) {
    throw misused('--name must be at most 128 characters, on one line, and not only blanks.')
  }
  const longest = 36_500 * 86_400_000
  if (lifetimeMs !== null && !(lifetimeMs > 0 && lifetimeMs <= longest)) {
    throw misused('--expires must be between 1 second and 100 years.')
  }
}

export const secretHash = (secret: string): string => hash('sha256', secret, 'hex')

const byId = preparedShared((reader, { id }: { id: number }) =>
  reader
    .selectFrom('token')
    .select(['id', 'account', 'user_name', 'secret_hash', 'read_only', 'expires', 'revoked'])
    .where('id', '=', id),
)
type Stored = Awaited<ReturnType<typeof byId>>[number]

/** Finds a token by its text, also if revoked or expired. */
export async function findToken(reader: CommittedReader, text: string): Promise<Stored | undefined> {
  const [, id, secret] = /^ml_([1-9]\d{0,14})_([\w-]{43})$/.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  const found = await cached(
    reader,
    `token ${id}`,
    reader.generation(),
    async () => (await byId(reader, { id: Number(id) }))[0],
  )
  return found && isSame(found.secret_hash, secretHash(secret)) ? found : undefined
}

const isSame = (one: string, other: string) => timingSafeEqual(Buffer.from(one), Buffer.from(other))
