import Type from 'typebox'
import { administrator, anyone, inBusiness, settlingHosts } from './allow.ts'
import { endpoint, fileBodyBytes } from './endpoint.ts'
import { Account, Id, literals } from './vocabulary.ts'

/** Maximum size of a file in one request, in bytes. */
export const largestFile = fileBodyBytes
/** Maximum number of rows of an atomic import. */
export const mostAtOnce = 20_000

export const outcomes = ['created', 'updated', 'unchanged', 'failed', 'skipped'] as const
export type Outcome = (typeof outcomes)[number]

const Counts = {
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: 'already had the values of the row' }),
  failed: Type.Integer(),
  skipped: Type.Integer({ description: 'would have been imported if no other row had failed' }),
}

/** The result of one row; the line of a CSV file, the row of a sheet, the line of an estate. */
export const RowResult = Type.Object({
  row: Type.Integer(),
  outcome: Type.Union(literals(outcomes)),
  id: Type.Optional(Type.Integer({ description: 'bk_host_id or the id of the instance' })),
  code: Type.Optional(Type.Integer({ description: 'of a row that failed' })),
  why: Type.Optional(Type.String({ description: 'of a row that failed' })),
})

const FailedFile = Type.Object({
  name: Type.String(),
  type: Type.String(),
  base64: Type.String({ description: 'the rows that failed in the format of the file, with a column import_error' }),
})

/** The last line: the totals. If it is missing, the import was interrupted and can be resumed. */
export const Summary = Type.Object({
  done: Type.Literal(true),
  rows: Type.Integer(),
  ...Counts,
  dry_run: Type.Boolean(),
  failed_file: Type.Union([FailedFile, Type.Null()]),
})

/** In place of the summary: why the import was aborted. */
export const BrokenOff = Type.Object({ bk_error_code: Type.Integer(), bk_error_msg: Type.String() })

const ImportLine = Type.Union([RowResult, Summary, BrokenOff])

const business = { bk_biz_id: Id }
const importQuery = {
  dry_run: 'true reports the result of every row without changing anything',
  atomic: 'true imports all rows or none; a failed row rolls back the others',
  from: 'resumes at this row and skips those before it; not with atomic, nor in a dry run of a topology',
}
const estateQuery = {
  dry_run: `true reports the result of every line without changing anything: all lines are imported and rolled back, so it needs a whole estate of at most ${mostAtOnce} lines`,
  from: 'resumes at this line and skips those before it; not in a dry run',
}
const format = { format: 'csv (default) or xlsx' }

export const importHosts = endpoint({
  name: 'import_hosts',
  method: 'POST',
  effect: 'write',
  path: '/import/hosts/:bk_biz_id',
  area: 'Import and export',
  summary:
    'Add and update hosts of a business from a CSV or XLSX file, row by row. A host is identified by its inner address and cloud area: importing the same file again changes nothing.',
  allow: settlingHosts,
  params: business,
  query: importQuery,
  takes: 'file',
  streams: 'application/x-ndjson',
  refuses: ['badRow', 'tooMany'],
  data: ImportLine,
  example: { params: { bk_biz_id: 2 }, body: 'bk_host_innerip,bk_host_name\n10.9.0.3,db-10\n' },
})

export const importTopology = endpoint({
  name: 'import_topology',
  method: 'POST',
  effect: 'write',
  path: '/import/topology/:bk_biz_id',
  area: 'Import and export',
  summary:
    'Create and update levels, sets and modules of a business from a CSV or XLSX file, row by row. An instance is identified by its path of names.',
  allow: inBusiness('topoupdate'),
  params: business,
  query: importQuery,
  takes: 'file',
  streams: 'application/x-ndjson',
  refuses: ['badRow', 'tooMany'],
  data: ImportLine,
  example: { params: { bk_biz_id: 2 }, body: 'topo_path\nEurope\n' },
})

export const getTemplate = endpoint({
  name: 'get_import_template',
  method: 'GET',
  effect: 'read',
  path: '/import/template/:bk_supplier_account/:kind',
  area: 'Import and export',
  summary: 'Get an empty import template with every column, its name and its allowed values.',
  allow: anyone,
  params: {
    bk_supplier_account: Account,
    kind: Type.Union([Type.Literal('hosts'), Type.Literal('topology')]),
  },
  query: format,
  streams: 'text/csv',
  data: Type.String(),
  example: { params: { bk_supplier_account: '0', kind: 'hosts' } },
})

export const exportHosts = endpoint({
  name: 'get_host_file',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/export/hosts/:bk_biz_id',
  area: 'Import and export',
  summary: 'Export the hosts of a business as a file that can be imported again.',
  allow: anyone,
  params: business,
  query: format,
  streams: 'text/csv',
  data: Type.String(),
  example: { params: { bk_biz_id: 2 } },
})

export const exportTopology = endpoint({
  name: 'get_topology_file',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/export/topology/:bk_biz_id',
  area: 'Import and export',
  summary: 'Export the levels, sets and modules of a business as a file that can be imported again.',
  allow: anyone,
  params: business,
  query: format,
  streams: 'text/csv',
  data: Type.String(),
  example: { params: { bk_biz_id: 2 } },
})

/** A record of an estate; references are names, which are valid in other databases too. */
export const EstateRecord = Type.Object({ is: Type.String() }, { additionalProperties: true })

export const exportEstate = endpoint({
  name: 'get_estate',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/export/estate/:bk_supplier_account',
  area: 'Import and export',
  summary:
    'Export the whole estate of an account as JSON lines: model, levels, businesses, topology, hosts, queries, privileges, subscriptions. Without secrets and ids.',
  allow: administrator,
  params: { bk_supplier_account: Account },
  streams: 'application/x-ndjson',
  data: EstateRecord,
  example: { params: { bk_supplier_account: '0' } },
})

export const importEstate = endpoint({
  name: 'import_estate',
  method: 'POST',
  effect: 'write',
  path: '/import/estate/:bk_supplier_account',
  area: 'Import and export',
  summary:
    'Import lines of an estate in their order, all of them or as many as fit into one request. Existing records are left unchanged, and reported if they differ.',
  allow: administrator,
  params: { bk_supplier_account: Account },
  query: estateQuery,
  takes: 'file',
  streams: 'application/x-ndjson',
  refuses: ['differs', 'badRow'],
  data: ImportLine,
  example: { params: { bk_supplier_account: '0' }, body: '{"is":"estate","version":1}\n' },
})
