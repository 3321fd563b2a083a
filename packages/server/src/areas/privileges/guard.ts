import { type Allow, hosts, instances, type ModelAction, problem, type Rule, rule } from '@mainline/contract'
import { type Actor, cached, type Reader, type Storage, type Tx } from '../../storage/index.ts'
import type { JudgedRequest, Readers } from './demand.ts'
import { openToAll } from './ends.ts'
import { type Grants, hasAction, hasEntry, namesInRoles, readGrants, type Subject } from './grants.ts'
import { judge } from './judge.ts'
import { businessesListing } from './places.ts'

/** Refuses callers without the privileges that an endpoint requires, as stored in the database at the time of the request. */
export function createGuard(readers: Pick<Storage, 'read' | 'heavy'>, admins: readonly string[]) {
  const { read } = readers

  async function judged(actor: Actor, asked: JudgedRequest): Promise<true> {
    const { missing } = await judge(readers, admins, actor, asked)
    if (missing[0]) throw problem('denied', { why: missing[0].why })
    return true
  }

  /** Returns undefined, without a promise, for public endpoints, administrators, and verdicts cached since the last commit. */
  return (actor: Actor, allow: Allow, params: Record<string, unknown>, body: unknown): Promise<unknown> | undefined => {
    if (allow.need === 'nothing' || allow.need === 'auditedBusiness' || admins.includes(actor.user)) return undefined
    const asked = { allow, params, body }
    const key = grantKey(actor, allow, params)
    if (key === undefined) return judged(actor, asked)
    const verdict = cached(read, key, read.generation(), () => judged(actor, asked))
    return verdict === true ? undefined : verdict
  }
}

/** Cache key of a verdict that depends on the path only; undefined for others, which are not cached. */
function grantKey({ account, user }: Actor, allow: Allow, params: Record<string, unknown>): string | undefined {
  if (allow.need === 'group') return `may ${allow.entry} ${account}\n${user}`
  if (allow.need !== 'role' || allow.in === 'body') return undefined
  return `may ${allow.privilege} ${params[allow.business]} ${account}\n${user}`
}

/**
 * Judges a request again inside of its change, by the grants under the account's lock: a change that has waited must not take effect
 * after its privilege was revoked. Edits of hosts do it themselves, once the hosts are locked and cannot move (`missingEditGrant`).
 */
export const createChangeGuard =
  (admins: readonly string[]) => (actor: Actor, allow: Allow, params: Record<string, unknown>, body: unknown) => {
    if (['nothing', 'hosts'].includes(allow.need) || admins.includes(actor.user)) return undefined
    const asked = { allow, params, body }
    return {
      // Roles and groups are judged by one statement; others may depend on rows that the change alters.
      isFirst: !['role', 'group'].includes(allow.need),
      async expectAllowed(reader: Reader): Promise<void> {
        const { missing } = await judge({ read: reader, heavy: reader }, admins, actor, asked)
        if (missing[0]) throw problem('denied', { why: missing[0].why })
      },
    }
  }

/** The privilege that the author of a change lacks to edit locked hosts. */
export type MissingEditGrant = (tx: Tx, hostIds: readonly number[]) => Promise<Rule | undefined>

/** Checked again with current placements and privileges: the guard has checked both before the change got its turn. */
export const missingEditGrant =
  (admins: readonly string[]): MissingEditGrant =>
  (tx, hostIds) =>
    missingForChange(admins)(tx, { allow: hosts.updateHosts.allow, params: {}, body: { bk_host_id: hostIds } })

/** The first privilege that the author of a change lacks for a request, judged by what the change sees. */
export type MissingGrant = (tx: Tx, asked: JudgedRequest) => Promise<Rule | undefined>

export const missingForChange =
  (admins: readonly string[]): MissingGrant =>
  async (tx, asked) =>
    (await judge({ read: tx, heavy: tx }, admins, tx.actor, asked)).missing[0]?.why

/** The privilege that a user lacks to search the instances of an object, and so to receive their events; undefined if none. */
export type MissingSearchGrant = (readers: Readers, subject: Subject, object: string) => Promise<Rule | undefined>

export const missingSearchGrant =
  (admins: readonly string[]): MissingSearchGrant =>
  async (readers, subject, object) => {
    if (openToAll.includes(object)) return undefined
    const asked = { allow: instances.searchInstance.allow, params: { bk_obj_id: object }, body: {} }
    const { missing } = await judge(readers, admins, subject, asked)
    return missing[0]?.why
  }

/** Refuses a request whose answer depends on instances that the caller may not search. */
export async function refuseUnsearchable(
  readers: Readers,
  subject: Subject,
  objects: Iterable<string>,
  lacks: MissingSearchGrant,
): Promise<void> {
  for (const object of new Set(objects)) {
    const why = await lacks(readers, subject, object)
    if (why) throw problem('denied', { why })
  }
}

/** Those of the objects whose instances the caller may not search: as `MissingSearchGrant`, in two statements for any number of objects. */
export type HiddenObjects = (
  readers: Readers,
  subject: Subject,
  objects: Iterable<string>,
) => Promise<ReadonlySet<string>>

export const hiddenObjects =
  (admins: readonly string[]): HiddenObjects =>
  async ({ read }, subject, objects) => {
    if (admins.includes(subject.user)) return new Set()
    const grants = await readGrants(read, subject)
    const hidden = new Set(objects)
    for (const object of hidden) {
      if (openToAll.includes(object) || holds(grants, object, 'search')) hidden.delete(object)
    }
    if (hidden.size > 0) for (const { object_id } of await levelsOf(read, subject.account)) hidden.delete(object_id)
    return hidden
  }

const levelsOf = (reader: Reader, account: string) =>
  reader
    .selectFrom('object')
    .select('object_id')
    .where('account', '=', account)
    .where('above', 'is not', null)
    .where('preset', '=', 0)
    .execute()

const holds = ({ groups }: Grants, object: string, action: ModelAction): boolean =>
  groups.some((group) => hasAction(group, object, action))

/** The privilege that the author of a change lacks to delete instances of these objects, none of which is on the main line. */
export type MissingDeleteGrant = (
  reader: Reader,
  subject: Subject,
  objects: Iterable<string>,
) => Promise<Rule | undefined>

export const missingDeleteGrant =
  (admins: readonly string[]): MissingDeleteGrant =>
  async (reader, subject, objects) => {
    const { user } = subject
    if (admins.includes(user)) return undefined
    const grants = await readGrants(reader, subject)
    const object = [...objects].find((each) => !holds(grants, each, 'delete'))
    return object === undefined ? undefined : rule('needsAction', { action: 'delete', object, user })
  }

/** The businesses whose audit records the caller may read; undefined for all. */
export async function auditable(
  { read, heavy }: Readers,
  admins: readonly string[],
  actor: Actor,
): Promise<readonly number[] | undefined> {
  if (admins.includes(actor.user)) return undefined
  const { groups, roles } = await readGrants(read, actor)
  if (groups.some((group) => hasEntry(group, 'audit'))) return undefined
  return businessesListing(heavy, actor.account, namesInRoles(actor.user, groups), [...roles.keys()])
}
