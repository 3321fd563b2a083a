// Searchable attributes in tests: made searchable, filled immediately, and compared with the instances.
import type { model } from '@mainline/contract'
import { modelOf, nameField, objectOf } from '../../areas/model/index.ts'
import { fillNext } from '../../areas/model/searchable/filling.ts'
import { valuesOf } from '../../areas/model/searchable/searchable.ts'
import { system } from '../../service.ts'
import type { TestServer } from '../harness.ts'

/** A user-defined attribute, created through the API; returns its id. */
export async function define(
  server: TestServer,
  object: string,
  id: string,
  type: string,
  more: Record<string, unknown> = {},
): Promise<number> {
  const made = await server.call<model.AttributeRecord>('POST', '/object/attr', {
    bk_obj_id: object,
    bk_property_id: id,
    bk_property_name: `the ${id}`,
    bk_property_type: type,
    ...more,
  })
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return made.data.id
}

export async function attributeNamed(server: TestServer, object: string, id: string): Promise<model.AttributeRecord> {
  const asked = { bk_obj_id: object, bk_property_id: id }
  const { data } = await server.call<model.AttributeRecord[]>('POST', '/object/attr/search', asked)
  return data[0] as model.AttributeRecord
}

/** Makes attributes of an object searchable or not, through the API. */
export async function makeSearchable(server: TestServer, object: string, ids: readonly string[], searchable = true) {
  for (const each of ids) {
    const attribute = await attributeNamed(server, object, each)
    if (attribute.searchable === searchable) continue
    const { result, bk_error_msg } = await server.call('PUT', `/object/attr/${attribute.id}`, { searchable })
    if (!result) throw new Error(bk_error_msg ?? '')
  }
}

/** Fills all pending attributes, concurrently with the server's own background job. */
export async function fillAll({ service }: TestServer): Promise<void> {
  const { read, change } = service.storage
  const open = () =>
    read
      .selectFrom('attribute')
      .select(['id', 'account'])
      .where('searchable', '<>', 0)
      .where('filled', '=', 0)
      .limit(1)
      .execute()
  for (let [next] = await open(); next; [next] = await open()) await fillNext(change, system(next.account), next.id)
}

type Kept = { key: number; text: string; number: number; instance: number }
const inOrder = (rows: readonly Kept[]) =>
  rows.map(({ key, text, number, instance }) => JSON.stringify([key, instance, text, number])).sort()

/** The indexed values of an object, and the expected ones. */
export async function keptValues({ service }: TestServer, object: string) {
  const { read } = service.storage
  const { searchable } = objectOf(await modelOf(read, '0'), object)
  const keys = searchable.map((attribute) => attribute.searchable)
  const kept = await read
    .selectFrom('attribute_value')
    .selectAll()
    .where((eb) => read.dialect.among(eb.ref('key'), keys, 'integer'))
    .execute()
  const nodes = await read
    .selectFrom('node')
    .selectAll()
    .where('account', '=', '0')
    .where('object_id', '=', object)
    .execute()
  const wanted = nodes.flatMap((node) => {
    const attributes = { ...JSON.parse(node.attributes), [nameField(object)]: node.name }
    return searchable.flatMap((attribute) => valuesOf(attribute, { instance: node.id, attributes }))
  })
  return { kept: inOrder(kept), wanted: inOrder(wanted) }
}

/** Sets as rows, so many that a scan is measurable; not indexed until they are filled in. */
export async function putSets(
  { service }: TestServer,
  bizId: number,
  count: number,
  attributes: string,
  first = 1_000_000,
): Promise<void> {
  const { engine } = service.storage
  await engine.script(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}), b AS (SELECT node FROM business WHERE biz_id = ${bizId})
    INSERT INTO node (account, object_id, inst_id, business, parent, biz_id, parent_id, name, name_key, built_in, attributes, creator, create_time, last_time)
    SELECT '0', 'set', ${first} + i, b.node, b.node, ${bizId}, ${bizId}, 'set ' || i, 'set ' || i, 0,
      CAST(${attributes} AS ${engine.dialect.types.json}), 'amy', i, i FROM n, b;
    UPDATE business SET version = version + 1;`)
}
