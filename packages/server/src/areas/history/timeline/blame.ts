// Who set each value of an instance: its records, read back from the newest one until every value is accounted for.
import type { DataOf, history } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Caller } from '../../../http/route.ts'
import type { LogRecord, Reader } from '../../../storage/index.ts'
import { modelOf } from '../../model/index.ts'
import type { Entry } from './entries.ts'
import { fieldDifferences, fieldLabel, valuesIn } from './fields.ts'
import { logOf } from './members.ts'
import { type Part, partsOf } from './parts.ts'
import type { Root } from './root.ts'
import { authorOf, unknownAuthor } from './versions.ts'

type Blame = DataOf<typeof history.getBlame>

const recordsPerStep = 200
/** The modules of a host, as its placement has them. */
const modulesField = 'bk_module_id'
/** Fields that are not set by anybody. */
const given = new Set(['bk_supplier_account', 'create_time', 'creator', 'default', 'bk_obj_id'])

export async function readBlame(
  reader: Reader,
  root: Root,
  entries: readonly Entry[],
  { language }: Caller,
  zone: Zone,
): Promise<Blame> {
  const model = await modelOf(reader, root.account)
  const setBy = new Map<string, LogRecord | undefined>()
  let values: Map<string, unknown> | undefined
  const isPlaced = root.object === 'host'
  const isOpen = () =>
    !values || [...values.keys()].some((field) => !setBy.has(field)) || (isPlaced && !setBy.has(modulesField))
  for (let first = 0; first < entries.length && isOpen(); first += recordsPerStep) {
    const positions = entries.slice(first, first + recordsPerStep).map(({ position }) => position)
    for (const { record, part } of await partsAt(reader, root, positions)) {
      const last = part.after ?? part.before
      if (!values && last) values = new Map(valuesIn(last).filter(([field]) => !given.has(field)))
      for (const field of fieldsSetBy(part)) if (!setBy.has(field)) setBy.set(field, record)
      if (!values?.has(modulesField) && part.places) values = withModules(values, part)
    }
  }
  // Fields that were cleared have no value, but a record that cleared them.
  const fields = new Set([...(values?.keys() ?? []), ...[...setBy.keys()].filter((field) => !given.has(field))])
  return [...fields].map((field) => {
    const record = setBy.get(field)
    return {
      bk_property_id: field,
      bk_property_name: fieldLabel(model, root.object, field, language),
      value: values?.get(field) ?? null,
      ...(record ? authorOf(record, zone) : unknownAuthor),
    }
  })
}

const withModules = (values: ReadonlyMap<string, unknown> | undefined, { places }: Part) =>
  new Map([...(values ?? []), [modulesField, places?.after.map((module) => module.bk_module_id) ?? []]])

function fieldsSetBy({ before, after, places }: Part): string[] {
  const fields = fieldDifferences(before, after).map(({ field }) => field)
  return places ? [...fields, modulesField] : fields
}

async function partsAt(reader: Reader, { account, object, id }: Root, positions: readonly number[]) {
  const records = await logOf(reader, account)
    .selectAll()
    .where((eb) => reader.dialect.among(eb.ref('position'), positions, 'integer'))
    .orderBy('position', 'desc')
    .execute()
  return records.flatMap((record) => {
    const part = partsOf(record).find((each) => each.object === object && each.id === id)
    return part ? [{ record, part }] : []
  })
}
