import { problem, rule } from '@mainline/contract'
import type { Actor, Reader } from '../../platform/storage/index.ts'
import { isLevel, modelOf } from '../model/index.ts'
import { holdsRole } from './store.ts'

const privilege = 'topoupdate'
/** Longer lists are refused with the body. */
const mostAtOnce = 200

/** Instances of a level belong to a business and need its privilege; those of other objects need one of a group. */
export async function guardInstances(
  reader: Reader,
  actor: Actor,
  params: Record<string, unknown>,
  body: unknown,
): Promise<void> {
  const { user, account } = actor
  const object = (await modelOf(reader, account)).objects.get(params.bk_obj_id as string)
  if (!object || !isLevel(object)) throw problem('denied', { why: rule('needsGroup', { entry: 'model_config', user }) })
  for (const business of await businessesOf(reader, account, object.id, params, body)) {
    if (Number.isSafeInteger(business) && (await holdsRole(reader, actor, business))) continue
    throw problem('denied', { why: rule('needsRole', { privilege, business, user }) })
  }
}

/**
 * The businesses a request would change: of the stored instances it names, or the one a new instance is to be in. What
 * is no id is passed over here, since the check of the body refuses it next.
 */
async function businessesOf(
  reader: Reader,
  account: string,
  object: string,
  { bk_inst_id: inPath }: Record<string, unknown>,
  body: unknown,
): Promise<number[]> {
  if (inPath !== undefined) return storedIn(reader, account, object, [inPath as number])
  const sent = body as { bk_biz_id?: unknown; delete?: { inst_ids?: unknown } } | null
  const listed = sent?.delete?.inst_ids
  const ids = Array.isArray(listed) ? listed.slice(0, mostAtOnce).filter(isId) : []
  // Whichever of the two the operation goes by: both are looked at, so that neither can hide the other.
  const named = Number(sent?.bk_biz_id)
  return [...(await storedIn(reader, account, object, ids)), ...(named >= 1 ? [named] : [])]
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1

async function storedIn(reader: Reader, account: string, object: string, ids: readonly number[]): Promise<number[]> {
  const found = await reader
    .selectFrom('node')
    .select(['inst_id', 'biz_id'])
    .where('account', '=', account)
    .where('object_id', '=', object)
    .where((eb) => reader.dialect.among(eb.ref('inst_id'), ids, 'integer'))
    .execute()
  if (found.length < new Set(ids).size) throw problem('notFound')
  return [...new Set(found.map((row) => row.biz_id))]
}
