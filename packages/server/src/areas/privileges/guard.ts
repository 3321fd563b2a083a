import { type Allow, problem, rule } from '@mainline/contract'
import type { Actor, Reader } from '../../platform/storage/index.ts'
import { guardInstances } from './instances.ts'
import { businessesHeldBy, holdsRole } from './store.ts'

/** Administrators may do everything, and for some things there is nothing to hold: then the verdict needs no wait. */
export function createGuard(reader: Reader, admins: readonly string[]) {
  const judge = judgeOf(reader)
  return (actor: Actor, allow: Allow, params: Record<string, unknown>, body: unknown): Promise<void> | undefined =>
    allow.need === 'nothing' || admins.includes(actor.user) ? undefined : judge(actor, allow, params, body)
}

/** Everyone else holds what roles and groups give. */
function judgeOf(reader: Reader) {
  return async (actor: Actor, allow: Allow, params: Record<string, unknown>, body: unknown): Promise<void> => {
    switch (allow.need) {
      case 'nothing':
      case 'auditedBusiness':
        return
      case 'administrator':
        throw problem('denied', { why: rule('administratorOnly') })
      case 'role': {
        const business = Number((allow.in === 'body' ? (body as typeof params | null) : params)?.[allow.business])
        // What is no id is refused with the body, which is checked next.
        if (!(Number.isSafeInteger(business) && business >= 1)) return
        if (await holdsRole(reader, actor, business)) return
        const { privilege } = allow
        throw problem('denied', { why: rule('needsRole', { privilege, business, user: actor.user }) })
      }
      case 'instances':
        return guardInstances(reader, actor, params, body)
      case 'hosts':
      case 'placing':
        throw problem('denied', { why: rule('needsGroup', { entry: 'resource', user: actor.user }) })
      case 'group':
        throw problem('denied', { why: rule('needsGroup', { entry: allow.entry, user: actor.user }) })
    }
  }
}

/** The businesses whose records the caller may read in the audit log; undefined means all. */
export async function auditable(
  reader: Reader,
  admins: readonly string[],
  actor: Actor,
): Promise<readonly number[] | undefined> {
  return admins.includes(actor.user) ? undefined : businessesHeldBy(reader, actor)
}
