import { type Allow, problem } from '@mainline/contract'
import type { Actor } from '../../platform/storage/index.ts'
import type { Readers } from './demand.ts'
import { judge } from './judge.ts'
import { businessesNaming } from './places.ts'
import { hasEntry, readStanding } from './standing.ts'

/** Refuses whoever lacks what an endpoint asks for, as the database says in this request. */
export function createGuard(readers: Readers, admins: readonly string[]) {
  const refuse = async (actor: Actor, allow: Allow, params: Record<string, unknown>, body: unknown): Promise<void> => {
    const { missing } = await judge(readers, admins, actor, { allow, params, body })
    if (missing[0]) throw problem('denied', { why: missing[0] })
  }
  // Where there is nothing to hold, or the caller holds everything, the verdict needs no wait.
  return (actor: Actor, allow: Allow, params: Record<string, unknown>, body: unknown): Promise<void> | undefined =>
    allow.need === 'nothing' || allow.need === 'auditedBusiness' || admins.includes(actor.user)
      ? undefined
      : refuse(actor, allow, params, body)
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
