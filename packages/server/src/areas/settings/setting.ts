import { problem, rule } from '@mainline/contract'
import type { Actor, Reader, Tx } from '../../platform/storage/index.ts'
import { namedId, uniqueId } from '../../platform/unique-id.ts'
import { holdOwner, ownedBy } from './owner.ts'

type Kept = Record<string, unknown>

const mostBytes = 64 * 1024

/** What a record says of itself; sent back, it is left alone. */
const ownWords: ReadonlySet<string> = new Set(['id', 'user', 'bk_user', 'is_default'])

const unset = {
  host_query_column: [],
  host_display_column: [],
  biz_query_column: [],
  biz_display_column: [],
  bk_biz_id: 0,
}

/** What those see who have saved nothing. Nobody can change it, so it is the same wherever and whenever it is asked for. */
export const defaultSetting = (account: string) => ({
  id: namedId(`default setting of ${account}`),
  user: '',
  bk_user: '',
  is_default: 1 as const,
  bk_biz_id: 0,
  host_query_column: ['bk_host_innerip', 'bk_host_name', 'bk_asset_id', 'operator', 'bk_os_type'],
  host_display_column: ['bk_host_innerip', 'bk_cloud_id', 'bk_host_name', 'bk_os_name', 'bk_cpu', 'bk_mem', 'operator'],
  biz_query_column: ['bk_biz_name', 'bk_biz_maintainer'],
  biz_display_column: ['bk_biz_name', 'bk_biz_maintainer', 'bk_biz_productor', 'operator', 'life_cycle'],
})

export async function findSetting(reader: Reader, actor: Actor) {
  const found = await readSetting(reader, actor)
  const kept = JSON.parse(found?.kept ?? '{}') as Kept
  return { ...unset, ...kept, id: found?.setting_id ?? '', user: actor.user, bk_user: actor.user }
}

/** Replaces the keys that were sent and drops those sent as null. Read and written under the owner's lock: nothing another request saves is lost. */
export async function saveSetting(tx: Tx, sent: Kept): Promise<void> {
  const given = Object.entries(sent).filter(([key]) => !ownWords.has(key))
  if (given.length === 0) return

  await holdOwner(tx)
  const found = await readSetting(tx, tx.actor)
  const before = found?.kept ?? '{}'
  // Neither spreading nor `fromEntries` calls a setter: to them `__proto__` is a key like any other.
  const merged = Object.entries({ ...JSON.parse(before), ...Object.fromEntries(given) })
  const kept = jsonOf(Object.fromEntries(merged.filter(([, value]) => value !== null)))
  if (kept === before) return
  const own = ownedBy(tx.actor)
  await tx
    .insertInto('setting')
    .values({ ...own, setting_id: uniqueId(), kept })
    .onConflict((at) => at.columns(['account', 'owner']).doUpdateSet({ kept }))
    .execute()
}

const readSetting = (reader: Reader, actor: Actor) => {
  const { account, owner } = ownedBy(actor)
  return reader
    .selectFrom('setting')
    .select(['setting_id', 'kept'])
    .where('account', '=', account)
    .where('owner', '=', owner)
    .executeTakeFirst()
}

function jsonOf(kept: Kept): string {
  const text = JSON.stringify(kept, (key, value) => {
    // A number too great for JavaScript was read as infinity, and would be written as null.
    if (value === Infinity || value === -Infinity) {
      throw problem('invalid', { field: key, rule: rule('value', { value: String(value) }) })
    }
    return value
  })
  const got = Buffer.byteLength(text)
  if (got > mostBytes) {
    throw problem('outOfBounds', { rule: rule('maxBytes', { field: 'usercustom', max: mostBytes, got }) })
  }
  return text
}
