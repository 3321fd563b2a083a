// The tables of an account as they were after a position, as queries over versions.
import type { Dialect, Shadow, Storage } from '../../../storage/index.ts'
import { nodeCodeSql } from './codes.ts'

interface Moment {
  readonly account: string
  readonly position: number
  /** Stored as the version of the model and of every business: the moment never changes. */
  readonly stamp: number
}

/** Rows that existed at the moment. */
const existed = 'account = ? AND to_position > ? AND from_position <= ?'

const nodesThen = `SELECT id, account, object_id, inst_id, business, biz_id, parent, parent_id, name, name_key, built_in, attributes, creator,
  create_time, last_time, revision FROM past_node WHERE ${existed}`

const businessesThen = `SELECT id AS node, account, inst_id AS biz_id, status, CASE WHEN status = 'enable' THEN name_key END AS living_name,
  cast(? AS bigint) AS version, cast(? AS bigint) AS tree_version FROM past_node WHERE ${existed} AND business IS NULL AND object_id = 'biz'`

const accountsThen = `SELECT account AS name, cast(? AS bigint) AS chain_version, cast(? AS bigint) AS model_version
  FROM past_account WHERE account = ?`

const hostsThen = `SELECT id, account, host_id, business, cloud, cloud_id, inner_ip, attributes, create_time, last_time, revision
  FROM past_host WHERE ${existed}`

const placementsThen = `SELECT host, module, set_node, business FROM past_placement WHERE ${existed}`

type ColumnType = 'number' | 'text' | 'json'

/** Columns of the rows that are kept as JSON. */
const columnsOf: Readonly<Record<string, Readonly<Record<string, ColumnType>>>> = {
  classification: { id: 'number', classification_id: 'text', name: 'text', icon: 'text', preset: 'number' },
  object: {
    id: 'number',
    object_id: 'text',
    classification_id: 'text',
    name: 'text',
    icon: 'text',
    preset: 'number',
    paused: 'number',
    creator: 'text',
    create_time: 'number',
    last_time: 'number',
    above: 'text',
  },
  attribute_group: {
    id: 'number',
    object_id: 'text',
    group_id: 'text',
    name: 'text',
    position: 'number',
    preset: 'number',
  },
  attribute: {
    id: 'number',
    object_id: 'text',
    attribute_id: 'text',
    name: 'text',
    group_id: 'text',
    position: 'number',
    type: 'text',
    options: 'text',
    unit: 'text',
    placeholder: 'text',
    required: 'number',
    editable: 'number',
    preset: 'number',
    creator: 'text',
    create_time: 'number',
    last_time: 'number',
    searchable: 'number',
  },
  custom_query: {
    biz_id: 'number',
    name: 'text',
    info: 'text',
    creator: 'text',
    create_time: 'number',
    modifier: 'text',
    last_time: 'number',
    revision: 'number',
  },
  role_binding: { object_id: 'text', attribute_id: 'text', privileges: 'json' },
  user_group: {
    id: 'number',
    group_id: 'text',
    name: 'text',
    user_list: 'text',
    privileges: 'json',
    revision: 'number',
  },
  association_kind: {
    id: 'number',
    kind: 'text',
    name: 'text',
    source_note: 'text',
    target_note: 'text',
    direction: 'text',
  },
  object_association: {
    id: 'number',
    association_id: 'text',
    name: 'text',
    source_object: 'text',
    target_object: 'text',
    kind: 'text',
    mapping: 'text',
    on_delete: 'text',
  },
}

/**
 * What the versions do not have. The index of searchable attributes holds present values, so `filled` is neither 0, which would be shown as
 * being filled, nor 1, with which the index is used.
 */
const derivedColumns: Readonly<Record<string, readonly string[]>> = {
  attribute: ['2 AS filled', '-1 AS filled_to'],
  custom_query: ['key AS id', `${nodeCodeSql("'biz'", '{biz_id}')} AS business`],
}

/** A column of a row that is kept as JSON. */
function columnValue({ name: engine }: Dialect, name: string, type: ColumnType, content = 'content'): string {
  if (type === 'json') return engine === 'sqlite' ? `${content} -> '${name}'` : `(${content} -> '${name}')::text`
  const value = `(${content} ->> '${name}')`
  if (engine === 'sqlite') return value
  return type === 'number' ? `${value}::bigint` : `${value} COLLATE "C"`
}

function kept(dialect: Dialect, kind: string): string {
  const columns = Object.entries(columnsOf[kind] ?? {}).map(
    ([name, type]) => `${columnValue(dialect, name, type)} AS ${name}`,
  )
  const derived = (derivedColumns[kind] ?? []).map((text) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => columnValue(dialect, name, 'number')),
  )
  return `SELECT account, ${[...columns, ...derived].join(', ')} FROM past_row WHERE ${existed} AND kind = '${kind}'`
}

/** The members of a list inside of a row, as rows: `member.value`. */
const membersOf = (dialect: Dialect, list: string, separator: string) =>
  dialect.name === 'sqlite'
    ? `json_each('[' || replace(json_quote(${list}), '${separator}', '","') || ']') AS member`
    : `unnest(string_to_array(${list}, '${separator}')) AS member(value)`

const addresses = (dialect: Dialect) =>
  `SELECT member.value AS ip, cloud, past_host.id AS host FROM past_host, ${membersOf(dialect, 'past_host.inner_ip', ',')} WHERE ${existed}`

const members = (dialect: Dialect) =>
  `SELECT account, member.value AS user_name, ${columnValue(dialect, 'id', 'number')} AS user_group
  FROM past_row, ${membersOf(dialect, columnValue(dialect, 'user_list', 'text'), ';')} WHERE ${existed} AND kind = 'user_group'`

function associationsThen(dialect: Dialect): string {
  const own = (name: string, type: ColumnType) => columnValue(dialect, name, type, 'past_row.content')
  const end = (side: 'source' | 'target') => {
    const [object, id] = [own(`${side}_object`, 'text'), own(`${side}_id`, 'number')]
    return `${id} AS ${side}_id, CASE WHEN ${object} <> 'host' THEN ${nodeCodeSql(object, id)} END AS ${side}_node,
      CASE WHEN ${object} = 'host' THEN ${id} END AS ${side}_host`
  }
  const definition = columnValue(dialect, 'id', 'number', 'definition.content')
  const called = columnValue(dialect, 'association_id', 'text', 'definition.content')
  return `SELECT past_row.account, ${own('id', 'number')} AS id, ${definition} AS association, ${end('source')}, ${end('target')}
    FROM past_row JOIN past_row AS definition ON definition.account = past_row.account AND definition.kind = 'object_association'
      AND ${called} = ${own('association_id', 'text')} AND definition.to_position > ? AND definition.from_position <= ?
    WHERE past_row.account = ? AND past_row.to_position > ? AND past_row.from_position <= ? AND past_row.kind = 'instance_association'`
}

/** Replacements for all tables of the estate. */
export function shadowsOf(
  { read: { dialect } }: Pick<Storage, 'read'>,
  { account, position, stamp }: Moment,
): Shadow[] {
  const at = [account, position, position]
  return [
    { table: 'node', text: nodesThen, values: at },
    { table: 'business', text: businessesThen, values: [stamp, stamp, ...at] },
    { table: 'account', text: accountsThen, values: [stamp, stamp, account] },
    { table: 'host', text: hostsThen, values: at },
    { table: 'host_ip', text: addresses(dialect), values: at },
    { table: 'placement', text: placementsThen, values: at },
    { table: 'group_member', text: members(dialect), values: at },
    { table: 'instance_association', text: associationsThen(dialect), values: [position, position, ...at] },
    ...Object.keys(columnsOf).map((table) => ({ table, text: kept(dialect, table), values: at })),
  ]
}
