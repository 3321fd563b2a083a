import { type associations, type BodyOf, type Language, problem, rule, type Words, words } from '@mainline/contract'
import type { Selectable } from 'kysely'
import { first } from '../../common/present.ts'
import { type Reader, refuse, type Tables, type Tx } from '../../storage/index.ts'
import { altered, differs, plainText, refuseTooMany, type Showing, shownWord } from '../model/index.ts'

/** A kind as stored. Built-in kinds are not stored: they are the same in every account. */
export type Kind = Selectable<Tables['association_kind']>

type NewKind = BodyOf<typeof associations.createKind>
type KindChanges = BodyOf<typeof associations.updateKind>

/** The kind of the associations between levels. */
export const mainLineKind = 'bk_mainline'

interface PresetKind {
  readonly kind: string
  readonly name: Words
  readonly source: Words
  readonly target: Words
}

/** Their ids are their positions in this list, counted from 1. */
const presets: readonly PresetKind[] = [
  {
    kind: 'belong',
    name: words('belongs to', '属于'),
    source: words('belongs to', '属于'),
    target: words('contains', '包含'),
  },
  {
    kind: 'group',
    name: words('is part of', '组成'),
    source: words('is part of', '组成'),
    target: words('is made of', '组成于'),
  },
  {
    kind: mainLineKind,
    name: words('main line', '主线'),
    source: words('is part of', '组成'),
    target: words('is made of', '组成于'),
  },
  { kind: 'run', name: words('runs on', '运行'), source: words('runs on', '运行于'), target: words('runs', '运行') },
  {
    kind: 'connect',
    name: words('connects to', '连接'),
    source: words('is above', '上联'),
    target: words('is below', '下联'),
  },
  {
    kind: 'default',
    name: words('default association', '默认关联'),
    source: words('is associated with', '关联'),
    target: words('is associated by', '被关联'),
  },
]

const presetWords = new Map(presets.map((preset) => [preset.kind, preset]))

/** The built-in kinds, which every account has. */
export const presetKinds = (account: string): Kind[] =>
  presets.map(({ kind, name, source, target }, index) => ({
    id: index + 1,
    account,
    kind,
    name: name.en,
    source_note: source.en,
    target_note: target.en,
    direction: 'src_to_dest',
  }))

const isPreset = ({ id }: Pick<Kind, 'id'>): boolean => id <= presets.length

/** The kinds that users of the account have defined. */
export const selectOwnKinds = (reader: Reader, account: string) =>
  reader.selectFrom('association_kind').selectAll().where('account', '=', account).orderBy('id')

/** All kinds of the account, built-in ones first. */
export const readKinds = async (reader: Reader, account: string): Promise<Kind[]> => [
  ...presetKinds(account),
  ...(await selectOwnKinds(reader, account).execute()),
]

export async function findKind(reader: Reader, account: string, id: number): Promise<Kind> {
  const found = (await readKinds(reader, account)).find((kind) => kind.id === id)
  if (!found) throw problem('notFound')
  return found
}

export function showKind(row: Kind, { language }: { readonly language: Language }): associations.KindRecord {
  const preset = isPreset(row) ? presetWords.get(row.kind) : undefined
  return {
    id: row.id,
    bk_asst_id: row.kind,
    bk_asst_name: shownWord(preset?.name, row.name, language),
    bk_supplier_account: row.account,
    src_des: shownWord(preset?.source, row.source_note, language),
    dest_des: shownWord(preset?.target, row.target_note, language),
    direction: row.direction,
    ispre: isPreset(row),
  }
}

export const kindFields = {
  id: 'integer',
  bk_asst_id: 'text',
  bk_asst_name: 'text',
  bk_supplier_account: 'text',
  src_des: 'text',
  dest_des: 'text',
  direction: 'text',
  ispre: 'boolean',
} as const

const longestText = 256
/** Of an account, beside those of every account. */
const maxKinds = 200
const english = { language: 'en' } as const

export async function createKind(tx: Tx, sent: NewKind, showing: Showing): Promise<associations.KindRecord> {
  const { account } = tx.actor
  const others = await readKinds(tx, account)
  refuseTooMany(rule('associationKinds'), others.length - presets.length, maxKinds)
  const taken = others.some(({ kind }) => kind.toLowerCase() === sent.bk_asst_id.toLowerCase())
  const duplicate = () => problem('duplicate', { what: 'bk_asst_id' })
  if (taken) throw duplicate()
  const row: Kind = {
    id: first(await tx.drawIds('association_kind', 1)),
    account,
    kind: sent.bk_asst_id,
    name: plainText('bk_asst_name', sent.bk_asst_name ?? '', longestText),
    source_note: plainText('src_des', sent.src_des ?? '', longestText),
    target_note: plainText('dest_des', sent.dest_des ?? '', longestText),
    direction: sent.direction ?? 'none',
  }
  await refuse(tx.insertInto('association_kind').values(row).execute(), { association_kind_key: duplicate })
  await altered(tx, { part: 'association kind', after: showKind(row, english) })
  return showKind(row, showing)
}

export async function updateKind(tx: Tx, id: number, sent: KindChanges): Promise<void> {
  const row = await findKind(tx, tx.actor.account, id)
  if (isPreset(row)) throw problem('presetAssociationKind')
  const changes = {
    name: plainText('bk_asst_name', sent.bk_asst_name ?? row.name, longestText),
    source_note: plainText('src_des', sent.src_des ?? row.source_note, longestText),
    target_note: plainText('dest_des', sent.dest_des ?? row.target_note, longestText),
    direction: sent.direction ?? row.direction,
  }
  const [before, after] = [showKind(row, english), showKind({ ...row, ...changes }, english)]
  if (!differs(before, after)) return
  await tx.updateTable('association_kind').set(changes).where('id', '=', id).execute()
  await altered(tx, { part: 'association kind', before, after })
}

export async function deleteKind(tx: Tx, id: number): Promise<void> {
  const { account } = tx.actor
  const row = await findKind(tx, account, id)
  if (isPreset(row)) throw problem('presetAssociationKind')
  const user = await tx
    .selectFrom('object_association')
    .select('association_id')
    .where('account', '=', account)
    .where('kind', '=', row.kind)
    .limit(1)
    .executeTakeFirst()
  if (user) throw problem('associationKindInUse', { what: user.association_id })
  await tx.deleteFrom('association_kind').where('id', '=', id).execute()
  await altered(tx, { part: 'association kind', before: showKind(row, english) })
}

/** Inserts and records a kind that was deleted. */
export async function restoreKind(tx: Tx, kind: Omit<Kind, 'account'>): Promise<void> {
  const row: Kind = { ...kind, account: tx.actor.account }
  const duplicate = () => problem('duplicate', { what: 'bk_asst_id' })
  await refuse(tx.insertInto('association_kind').values(row).execute(), { association_kind_key: duplicate })
  await altered(tx, { part: 'association kind', after: showKind(row, english) })
}
