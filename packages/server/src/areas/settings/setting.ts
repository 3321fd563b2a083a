import { problem, rule } from '@mainline/contract'
import { readOwnJson } from '../../common/own-json.ts'
import { namedId, uniqueId } from '../../common/unique-id.ts'
import type { Actor, Reader, Tx } from '../../storage/index.ts'
import { holdOwner, ownedBy } from './owner.ts'

type Kept = Record<string, unknown>

const mostBytes = 64 * 1024

/** Fields of the record itself; ignored when they are sent back. */
const recordFields: ReadonlySet<string> = new Set(['id', 'user', 'bk_user', 'is_default'])

const unset = {
  host_query_column: [],
  host_display_column: [],
  biz_query_column: [],
  biz_display_column: [],
  bk_biz_id: 0,
}

/** The settings of users who have saved none. Constant. */
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
  const kept = readOwnJson<Kept>(found?.kept ?? '{}')
  return { ...unset, ...kept, id: found?.setting_id ?? '', user: actor.user, bk_user: actor.user }
}

/** Replaces the sent keys and removes those sent as null. Reads and writes under the owner's lock, so concurrent requests lose nothing. */
export async function saveSetting(tx: Tx, sent: Kept): Promise<void> {
  const given = Object.entries(sent).filter(([key]) => !recordFields.has(key))
  if (given.length === 0) return

  await holdOwner(tx)
  const found = await readSetting(tx, tx.actor)
  const before = found?.kept ?? '{}'
  // Neither spreading nor `fromEntries` calls a setter, so `__proto__` is an ordinary key here.
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
    // A number too large for JavaScript was parsed as infinity, and would be stored as null.
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
