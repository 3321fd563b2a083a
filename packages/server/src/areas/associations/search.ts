import { associations, problem } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import { compile } from '../../condition/compile.ts'
import { type Condition, type Field, type Fields, needsMatching } from '../../condition/condition.ts'
import { parseCondition } from '../../condition/parse.ts'
import { sift } from '../../condition/sift.ts'
import { type Actor, cached, inColumn, isCommitted, type Reader, type Storage } from '../../storage/index.ts'
import { modelOf } from '../model/index.ts'
import type { HiddenObjects } from '../privileges/index.ts'
import {
  type InstanceAssociation,
  selectInstanceAssociations,
  showInstanceAssociation,
} from './instance-associations.ts'
import { type ObjectAssociation, selectObjectAssociations } from './object-associations.ts'

type Record = associations.InstanceAssociationRecord
type Paging = { readonly start?: number; readonly limit?: number } | undefined

const own = (column: string, type: Field['type'] = 'integer'): Field => ({ type, at: { column } })
const ofObjects = (column: string): Field => ({ type: 'text', at: { column, table: 'object_association' } })

const fields: Fields = new Map<string, Field>([
  ['id', own('id')],
  ['bk_supplier_account', own('account', 'text')],
  ['bk_inst_id', own('source_id')],
  ['bk_asst_inst_id', own('target_id')],
  ['bk_obj_asst_id', ofObjects('association_id')],
  ['bk_asst_id', ofObjects('kind')],
  ['bk_obj_id', ofObjects('source_object')],
  ['bk_asst_obj_id', ofObjects('target_object')],
])

/** What one takes in memory, at most. */
const bytesOfRow = 1_500

/** Associations of objects, limited to those of which the caller may search both objects. */
export async function visibleTo(
  { read, heavy }: Pick<Storage, 'read' | 'heavy'>,
  actor: Actor,
  hiddenTo: HiddenObjects,
): Promise<ObjectAssociation[]> {
  const { rows: all } = await objectAssociationsOf(read, actor.account)
  const objects = all.flatMap(({ source_object, target_object }) => [source_object, target_object])
  const hidden = await hiddenTo({ read, heavy }, actor, objects)
  return all.filter(({ source_object, target_object }) => !hidden.has(source_object) && !hidden.has(target_object))
}

/** Those of hosts with instances of other objects, on whichever side. */
export async function associationsOfHosts(reader: Reader, account: string): Promise<readonly ObjectAssociation[]> {
  const all = isCommitted(reader)
    ? (await objectAssociationsOf(reader, account)).rows
    : await selectObjectAssociations(reader, account).execute()
  return all.filter(({ source_object, target_object }) => (source_object === 'host') !== (target_object === 'host'))
}

/** A part of the model: under its version, which was read before them. */
async function objectAssociationsOf(read: Storage['read'], account: string) {
  const { version } = await modelOf(read, account)
  return cached(read, `object associations ${account}`, version, async () => {
    const rows = await selectObjectAssociations(read, account).execute()
    return { rows, weight: rows.length * bytesOfRow }
  })
}

const { mostAssociations } = associations

const among = (reader: Reader, account: string, visible: readonly ObjectAssociation[]) =>
  selectInstanceAssociations(reader, account).where((eb) =>
    reader.dialect.among(
      eb.ref('instance_association.association'),
      visible.map(({ id }) => id),
      'integer',
    ),
  )

/** A page, or all. Patterns are matched in this process after SQL has limited the candidates. */
export async function searchAssociations(
  { heavy }: Pick<Storage, 'heavy'>,
  actor: Actor,
  visible: readonly ObjectAssociation[],
  { condition, page, zone }: { condition?: object; page?: Paging; zone: Zone },
): Promise<Record[]> {
  const parsed = parseCondition({ ...condition }, { fields, zone, text: 'whole' })
  const place = { table: 'instance_association', fields, dialect: heavy.dialect }
  const isMatched = needsMatching(parsed)
  const isPaged = page?.limit !== undefined && !isMatched
  const rows = await among(heavy, actor.account, visible)
    .where(compile(parsed, place))
    .orderBy('instance_association.id')
    .limit(isPaged ? (page.limit ?? 0) : mostAssociations + 1)
    .offset(isPaged ? (page.start ?? 0) : 0)
    .execute()
  if (isPaged) return rows.map(showInstanceAssociation)
  const records = expectFew(rows).map(showInstanceAssociation)
  return inPage(isMatched ? await matching(records, parsed) : records, page)
}

const matching = (records: readonly Record[], condition: Condition): Promise<Record[]> =>
  sift(records, { condition, fields, view: (row) => ({ builtIn: 0, value: (name) => inColumn(row, name) }) })

function expectFew(rows: readonly InstanceAssociation[]): readonly InstanceAssociation[] {
  if (rows.length > mostAssociations) throw problem('tooMany', { what: 'condition', limit: mostAssociations })
  return rows
}

const inPage = (records: readonly Record[], page: Paging): Record[] => {
  const start = page?.start ?? 0
  return records.slice(start, page?.limit === undefined ? undefined : start + page.limit)
}

/** Associations whose source, or whose target, is the instance. */
export async function relatedTo(
  reader: Reader,
  account: string,
  visible: readonly ObjectAssociation[],
  { object, id }: { readonly object: string; readonly id: number },
  page: Paging,
): Promise<Record[]> {
  const sides = [
    ['source_object', 'source_id'],
    ['target_object', 'target_id'],
  ] as const
  const found = await Promise.all(
    sides.map(([ofObject, ofInstance]) =>
      among(
        reader,
        account,
        visible.filter((each) => each[ofObject] === object),
      )
        .where(`instance_association.${ofInstance}`, '=', id)
        .orderBy('instance_association.id')
        .limit(mostAssociations + 1)
        .execute(),
    ),
  )
  const rows = [...new Map(found.flat().map((row) => [row.id, row])).values()]
  return inPage(
    expectFew(rows)
      .toSorted((one, other) => one.id - other.id)
      .map(showInstanceAssociation),
    page,
  )
}
