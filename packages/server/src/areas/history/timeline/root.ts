// The instance that a history is about.
import { problem, rule } from '@mainline/contract'
import type { Caller } from '../../../http/route.ts'
import type { Reader, Storage } from '../../../storage/index.ts'
import { modelOf } from '../../model/index.ts'
import { auditable, type MissingSearchGrant } from '../../privileges/index.ts'
import { nodeKey, readLiveRows } from '../recorded/index.ts'

export interface Root {
  readonly account: string
  readonly object: string
  readonly id: number
  /** The business that it is in, or was in when it was deleted; 0 outside of any. */
  readonly business: number
}

/** Records under these names are about no instance of an object. */
const others = new Set(['userapi', 'usergroup', 'privilege', 'model', 'subscription', 'history', 'instassociation'])

/** An instance that exists, or of which the log has records. */
export async function findRoot(reader: Reader, account: string, object: string, id: number): Promise<Root> {
  if (others.has(object) || object.includes(':')) throw problem('notFound')
  const [kind, key] =
    object === 'host' ? (['placement', String(id)] as const) : (['node', nodeKey(object, id)] as const)
  const [row] = (await readLiveRows(reader, account, kind, [key])).values()
  const business = object === 'biz' ? id : (row?.biz_id ?? (await recordedBusiness(reader, { account, object, id })))
  if (typeof business !== 'number' || (object === 'biz' && !row && !(await isRecorded(reader, account, id)))) {
    throw problem('notFound')
  }
  return { account, object, id, business }
}

const recordedBusiness = async (reader: Reader, { account, object, id }: Omit<Root, 'business'>) =>
  (
    await reader
      .selectFrom('log')
      .select('biz_id')
      .where('account', '=', account)
      .where('object_id', '=', object)
      .where('inst_id', '=', id)
      .orderBy('op_time', 'desc')
      .orderBy('ticket', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.biz_id

const isRecorded = async (reader: Reader, account: string, id: number) =>
  (await recordedBusiness(reader, { account, object: 'biz', id })) !== undefined

export interface HistoryReaders {
  readonly admins: readonly string[]
  readonly lacksSearch: MissingSearchGrant
}

/** Which records the caller may read, as in the audit log; of objects off the main line also with `search`. Refuses the caller if none. */
export async function readableRecords(
  storage: Storage,
  actor: Caller,
  { object, business }: Root,
  { admins, lacksSearch }: HistoryReaders,
): Promise<(record: { readonly biz_id: number }) => boolean> {
  const businesses = await auditable(storage, admins, actor)
  if (!businesses) return () => true
  const isSearched = async () => {
    const { objects } = await modelOf(storage.read, actor.account)
    return objects.has(object) && !(await lacksSearch(storage, actor, object))
  }
  const readable = new Set(businesses)
  if (business === 0 && (await isSearched())) readable.add(0)
  if (!readable.has(business)) {
    const why = rule('historyOfBusiness', { business, entry: 'audit', user: actor.user })
    throw problem('denied', { why })
  }
  return ({ biz_id }) => readable.has(biz_id)
}
