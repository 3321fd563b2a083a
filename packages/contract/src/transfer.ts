import Type from 'typebox'
import { administrator, anyone, inBusiness, settlingHosts } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { Account, Id, literals } from './vocabulary.ts'

/** What a file may weigh that is sent in one request, in bytes. */
export const largestFile = 32 * 1024 * 1024
/** How many rows a file may have that is taken whole or not at all. */
export const mostAtOnce = 20_000

export const outcomes = ['created', 'updated', 'unchanged', 'failed', 'skipped'] as const
export type Outcome = (typeof outcomes)[number]

const Counts = {
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: 'was as the row says already' }),
  failed: Type.Integer(),
  skipped: Type.Integer({ description: 'would have been taken, had no other row failed' }),
}

/** What became of one row; the line of a CSV file, the row of a sheet, the line of an estate. */
export const RowFate = Type.Object({
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

/** The last line: what all rows came to. Without it, the import has broken off and can be gone on with. */
export const Summary = Type.Object({
  done: Type.Literal(true),
  rows: Type.Integer(),
  ...Counts,
  dry_run: Type.Boolean(),
  failed_file: Type.Union([FailedFile, Type.Null()]),
})

/** In place of the summary: why the import could not go on. */
export const BrokenOff = Type.Object({ bk_error_code: Type.Integer(), bk_error_msg: Type.String() })

const ImportLine = Type.Union([RowFate, Summary, BrokenOff])

const business = { bk_biz_id: Id }
const importQuery = {
  dry_run: 'true tells what would become of every row and changes nothing',
  atomic: 'true takes all rows or none; a row that fails then undoes the others',
  from: 'goes on at this row: those before it are not looked at again; not with atomic, nor in a dry run of a topology',
}
const estateQuery = {
  dry_run: `true tells what would become of every line and changes nothing: all is done and taken back, so it takes a whole estate of at most ${mostAtOnce} lines`,
  from: 'goes on at this line: those before it are not looked at again; not in a dry run',
}
const format = { format: 'csv (unless told otherwise) or xlsx' }

export const importHosts = endpoint({
  name: 'import_hosts',
  method: 'POST',
  path: '/import/hosts/:bk_biz_id',
  area: 'Import and export',
  summary:
    'Add and change hosts of a business from a CSV or XLSX file, row by row. A host is known by its inner address and cloud area: the same file again changes nothing.',
  allow: settlingHosts,
  params: business,
  query: importQuery,
  takes: 'file',
  streams: 'application/x-ndjson',
  refuses: ['badRow'],
  data: ImportLine,
  example: { params: { bk_biz_id: 2 }, body: 'bk_host_innerip,bk_host_name\n10.9.0.3,db-10\n' },
})

export const importTopology = endpoint({
  name: 'import_topology',
  method: 'POST',
  path: '/import/topology/:bk_biz_id',
  area: 'Import and export',
  summary:
    'Create and change levels, sets and modules of a business from a CSV or XLSX file, row by row. An instance is known by its path of names.',
  allow: inBusiness('topoupdate'),
  params: business,
  query: importQuery,
  takes: 'file',
  streams: 'application/x-ndjson',
  refuses: ['badRow'],
  data: ImportLine,
  example: { params: { bk_biz_id: 2 }, body: 'topo_path\nEurope\n' },
})

export const getTemplate = endpoint({
  name: 'get_import_template',
  method: 'GET',
  path: '/import/template/:bk_supplier_account/:kind',
  area: 'Import and export',
  summary: 'An empty file to start an import from: every column, what it is called and what it may hold.',
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
  path: '/export/hosts/:bk_biz_id',
  area: 'Import and export',
  summary: 'The hosts of a business as a file that can be imported again.',
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
  path: '/export/topology/:bk_biz_id',
  area: 'Import and export',
  summary: 'The levels, sets and modules of a business as a file that can be imported again.',
  allow: anyone,
  params: business,
  query: format,
  streams: 'text/csv',
  data: Type.String(),
  example: { params: { bk_biz_id: 2 } },
})

/** One thing of an estate, told by names so that it means the same elsewhere. */
export const EstateRecord = Type.Object({ is: Type.String() }, { additionalProperties: true })

export const exportEstate = endpoint({
  name: 'get_estate',
  method: 'GET',
  path: '/export/estate/:bk_supplier_account',
  area: 'Import and export',
  summary:
    'The whole estate of an account as JSON lines: model, levels, businesses, topology, hosts, queries, privileges, subscriptions. No secrets and no ids.',
  allow: administrator,
  params: { bk_supplier_account: Account },
  streams: 'application/x-ndjson',
  data: EstateRecord,
  example: { params: { bk_supplier_account: '0' } },
})

export const importEstate = endpoint({
  name: 'import_estate',
  method: 'POST',
  path: '/import/estate/:bk_supplier_account',
  area: 'Import and export',
  summary:
    'Take in the lines of an estate, all of them or as many as a request holds, in their order. What is there already is left as it is, and told when it differs.',
  allow: administrator,
  params: { bk_supplier_account: Account },
  query: estateQuery,
  takes: 'file',
  streams: 'application/x-ndjson',
  refuses: ['differs', 'badRow'],
  data: ImportLine,
  example: { params: { bk_supplier_account: '0' }, body: '{"is":"estate","version":1}\n' },
})
