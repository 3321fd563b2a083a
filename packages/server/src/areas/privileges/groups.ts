import { isBlank, problem, rule } from '@mainline/contract'
import { uniqueId } from '../../common/unique-id.ts'
import { countOwn, expectRevision, type Reader, refuse, type Snapshot, type Tx } from '../../storage/index.ts'
import { nothingGiven } from './grants.ts'

export interface GroupRow {
  readonly id: number
  readonly group_id: string
  readonly name: string
  readonly user_list: string
  readonly privileges: string
  readonly revision: number
}

const longestName = 256
/** The longest name of a caller. */
const longestUser = 128
const mostUsers = 10_000
/** Of an account. Groups created at the same moment may exceed it by a few. */
const maxGroups = 1_000
const rowsAtOnce = 5_000

/** Whether a list is too long to be processed on the event loop. */
export const isLong = (list: string): boolean => list.length > 5_000

const selectGroups = (reader: Reader, account: string) =>
  reader
    .selectFrom('user_group')
    .select(['id', 'group_id', 'name', 'user_list', 'privileges', 'revision'])
    .where('account', '=', account)
    .orderBy('id')

export async function findGroup(reader: Reader, account: string, groupId: string): Promise<GroupRow> {
  const found = await selectGroups(reader, account).where('group_id', '=', groupId).executeTakeFirst()
  if (!found) throw problem('notFound')
  return found
}

/**
 * Locks a group for a change. Other changes are judged by grants while they hold the account shared, so a change of grants needs it
 * exclusively: changes judged by the old grants are committed before it, later ones are judged by the new grants.
 */
export async function holdGroup(tx: Tx, groupId: string): Promise<GroupRow> {
  tx.demandExclusive()
  const found = await selectGroups(tx, tx.actor.account)
    .where('group_id', '=', groupId)
    .$if(tx.dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst()
  if (!found) throw problem('notFound')
  expectRevision(tx, [found], showGroup)
  return found
}

export const showGroup = ({ group_id, name, user_list }: Pick<GroupRow, 'group_id' | 'name' | 'user_list'>) => ({
  group_id,
  group_name: name,
  user_list,
})

/** Trimmed names, without empty ones and duplicates. */
function readUsers(list: string): string[] {
  const users = [...new Set(list.split(';').map((user) => user.trim()))].filter((user) => user !== '')
  if (users.length > mostUsers) throw problem('tooMany', { what: 'user_list', limit: mostUsers })
  for (const user of users) {
    if (/\p{Cc}/u.test(user)) throw problem('invalid', { field: 'user_list', rule: rule('text') })
    if (user.length > longestUser) {
      throw problem('outOfBounds', { rule: rule('maxCharacters', { field: 'user_list', max: longestUser }) })
    }
  }
  return users
}

function readName(name: string): string {
  const field = 'group_name'
  if (isBlank(name)) throw problem('unassigned', { field })
  if (/\p{Cc}/u.test(name)) throw problem('invalid', { field, rule: rule('text') })
  const got = Buffer.byteLength(name)
  if (got > longestName) throw problem('outOfBounds', { rule: rule('maxBytes', { field, max: longestName, got }) })
  return name
}

async function refuseTooManyGroups(tx: Tx): Promise<void> {
  const count = await countOwn(tx, 'user_group')
  if (count >= maxGroups) throw problem('tooMany', { what: rule('userGroups'), limit: maxGroups })
}

const nameTaken = { user_group_name: () => problem('duplicate', { what: 'group_name' }) }

export async function createGroup(
  tx: Tx,
  sent: { group_name: string; user_list: string },
  groupId = uniqueId(),
): Promise<void> {
  const name = readName(sent.group_name)
  const users = readUsers(sent.user_list)
  if (users.length === 0) throw problem('unassigned', { field: 'user_list' })
  await refuseTooManyGroups(tx)
  const row = {
    account: tx.actor.account,
    group_id: groupId,
    name,
    user_list: users.join(';'),
    privileges: JSON.stringify(nothingGiven),
    revision: 1,
  }
  const { id } = await refuse(
    tx.insertInto('user_group').values(row).returning('id').executeTakeFirstOrThrow(),
    nameTaken,
  )
  await insertMembers(tx, id, users)
  recordGroup(tx, id, row.revision, null, showGroup(row))
}

export async function updateGroup(
  tx: Tx,
  groupId: string,
  sent: { group_name?: string; user_list?: string },
): Promise<void> {
  const row = await holdGroup(tx, groupId)
  const name = sent.group_name === undefined ? row.name : readName(sent.group_name)
  const users = sent.user_list === undefined ? undefined : readUsers(sent.user_list)
  const user_list = users ? users.join(';') : row.user_list
  if (name === row.name && user_list === row.user_list) return

  const revision = row.revision + 1
  await refuse(
    tx.updateTable('user_group').set({ name, user_list, revision }).where('id', '=', row.id).execute(),
    nameTaken,
  )
  if (users && user_list !== row.user_list) {
    await deleteMembers(tx, row.id)
    await insertMembers(tx, row.id, users)
  }
  recordGroup(tx, row.id, revision, showGroup(row), showGroup({ ...row, name, user_list }))
}

export async function deleteGroup(tx: Tx, groupId: string): Promise<void> {
  const row = await holdGroup(tx, groupId)
  await deleteMembers(tx, row.id)
  await tx.deleteFrom('user_group').where('id', '=', row.id).execute()
  recordGroup(tx, row.id, row.revision + 1, { ...showGroup(row), ...JSON.parse(row.privileges) }, null)
}

const deleteMembers = (tx: Tx, group: number) => tx.deleteFrom('group_member').where('user_group', '=', group).execute()

export async function insertMembers(tx: Tx, group: number, users: readonly string[]): Promise<void> {
  for (let first = 0; first < users.length; first += rowsAtOnce) {
    const rows = users
      .slice(first, first + rowsAtOnce)
      .map((user_name) => ({ account: tx.actor.account, user_name, user_group: group }))
    await tx.insertInto('group_member').values(rows).execute()
  }
}

function recordGroup(
  tx: Tx,
  instance: number,
  revision: number,
  before: Snapshot | null,
  after: Snapshot | null,
): void {
  const operation = before === null ? 'add' : after === null ? 'delete' : 'update'
  tx.record({
    operation,
    object: 'usergroup',
    instance,
    business: 0,
    description: `${operation === 'add' ? 'create' : operation} user group`,
    revision,
    before,
    after,
    events: [],
  })
}

/** Groups whose name and user list contain these texts; case-sensitive. */
export const searchGroups = (reader: Reader, account: string, sought: { group_name?: string; user_list?: string }) =>
  selectGroups(reader, account)
    .$if(Boolean(sought.group_name), (query) =>
      query.where((eb) => reader.dialect.contains(eb.ref('name'), sought.group_name ?? '')),
    )
    .$if(Boolean(sought.user_list), (query) =>
      query.where((eb) => reader.dialect.contains(eb.ref('user_list'), sought.user_list ?? '')),
    )
    .execute()
