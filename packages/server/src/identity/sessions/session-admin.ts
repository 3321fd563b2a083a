import { misused, Refusal } from '../../common/refusal.ts'
import type { Actor, Storage } from '../../storage/index.ts'

/** A session as shown to operators. Its id is a prefix of the session key's hash. */
export interface SessionRecord {
  readonly id: string
  readonly user_name: string
  readonly account: string
  readonly begun: number
  readonly expires: number
}

export type WhichSessions = { readonly id: string } | { readonly user: string }

/** Lists and ends browser sessions for the command line, in this process or in the one that owns the storage. */
export interface SessionAdmin {
  listSessions(): Promise<SessionRecord[]>
  endSessions(operator: string, which: WhichSessions): Promise<SessionRecord[]>
}

const idLength = 12

export function openSessionAdmin(
  { read, change }: Pick<Storage, 'read' | 'change'>,
  openAccount: (account: string) => Promise<void> | undefined,
): SessionAdmin {
  const rows = () =>
    read
      .selectFrom('session')
      .select(['id_hash', 'user_name', 'account', 'begun', 'expires'])
      .where('expires', '>', Date.now())
      .orderBy('begun')
      .orderBy('id_hash')
      .execute()
  const shown = ({ id_hash, ...row }: Awaited<ReturnType<typeof rows>>[number]): SessionRecord => ({
    id: id_hash.slice(0, idLength),
    ...row,
  })
  return {
    listSessions: async () => (await rows()).map(shown),

    async endSessions(operator, which) {
      if ('id' in which && !/^[0-9a-f]{12}$/.test(which.id))
        throw misused('The id of a session is as the list shows it.')
      const found = (await rows()).filter((row) =>
        'id' in which ? row.id_hash.startsWith(which.id) : row.user_name === which.user,
      )
      if (found.length === 0) throw new Refusal("There is no such session. 'mainline sessions list' shows them.")
      for (const row of found) {
        await openAccount(row.account)
        const actor: Actor = { user: operator, account: row.account, requestId: '' }
        await change(actor, async (tx) => {
          await tx.deleteFrom('session').where('id_hash', '=', row.id_hash).execute()
          const { id, user_name, begun, expires } = shown(row)
          const before = { session_id: id, user_name, begun, expires }
          const about = { object: 'privilege', instance: 0, business: 0, revision: 0, events: [] }
          tx.record({ ...about, operation: 'delete', description: 'end session', before, after: null })
        })
      }
      return found.map(shown)
    },
  }
}
