import { type Allow, hosts, problem, type Rule } from '@mainline/contract'
import { type Actor, cached, type Storage, type Tx } from '../../platform/storage/index.ts'
import type { Asked, Readers } from './demand.ts'
import { judge } from './judge.ts'
import { businessesNaming } from './places.ts'
import { hasEntry, readStanding } from './standing.ts'

/** Refuses callers without what an endpoint asks for, as the database says in this request. */
export function createGuard(readers: Pick<Storage, 'read' | 'heavy'>, admins: readonly string[]) {
  const { read } = readers

  async function judged(actor: Actor, asked: Asked): Promise<true> {
    const { missing } = await judge(readers, admins, actor, asked)
    if (missing[0]) throw problem('denied', { why: missing[0] })
    return true
  }

  /** Nothing is awaited where nothing is needed, and where the caller is an administrator or was allowed since the last commit. */
  return (actor: Actor, allow: Allow, params: Record<string, unknown>, body: unknown): Promise<unknown> | undefined => {
    if (allow.need === 'nothing' || allow.need === 'auditedBusiness' || admins.includes(actor.user)) return undefined
    const asked = { allow, params, body }
    const key = keyOf(actor, allow, params)
    if (key === undefined) return judged(actor, asked)
    const verdict = cached(read, key, read.generation?.(), () => judged(actor, asked))
    return verdict === true ? undefined : verdict
  }
}

/** What names a verdict that the path alone decides; undefined for others, which are judged each time. */
function keyOf({ account, user }: Actor, allow: Allow, params: Record<string, unknown>): string | undefined {
  if (allow.need === 'group') return `may ${allow.entry} ${account}\n${user}`
  if (allow.need !== 'role' || allow.in === 'body') return undefined
  return `may ${allow.privilege} ${params[allow.business]} ${account}\n${user}`
}

/** What whoever makes a change lacks to edit hosts that it holds. */
export type EditingLack = (tx: Tx, hostIds: readonly number[]) => Promise<Rule | undefined>

/** Judged where the hosts stand by now, and as rights are now: the guard has seen both before the change got its turn. */
export const editingLack =
  (admins: readonly string[]): EditingLack =>
  async (tx, hostIds) => {
    const asked = { allow: hosts.updateHosts.allow, params: {}, body: { bk_host_id: hostIds } }
    const { missing } = await judge({ read: tx, heavy: tx }, admins, tx.actor, asked)
    return missing[0]
  }

/** The businesses whose records the caller may read in the audit log; undefined means all. */
export async function auditable(
  { read, heavy }: Readers,
  admins: readonly string[],
  actor: Actor,
): Promise<readonly number[] | undefined> {
  if (admins.includes(actor.user)) return undefined
  const { groups, roles } = await readStanding(read, actor)
  if (groups.some((group) => hasEntry(group, 'audit'))) return undefined
  return businessesNaming(heavy, actor, [...roles.keys()])
}
