import Type, { type Static } from 'typebox'
import { mayAudit } from './allow.ts'
import { batchBodyBytes, endpoint } from './endpoint.ts'
import { Id, JsonObject, Limit, MomentText, momentForms, Start, Text } from './vocabulary.ts'

/** Records that one undo may cover. */
export const mostUndone = 20_000

const Value = Type.Unknown({ description: 'as it is stored: text, number, boolean, list of ids; null if unset' })

/** The record of a change, and who made it. */
const By = {
  position: Type.Union([Type.Integer(), Type.Null()], { description: 'of the record in the log' }),
  operator: Type.String(),
  op_time: Type.String(),
  request_id: Type.String(),
  op_reason: Type.String(),
}

const Conflict = Type.Object({
  field: Type.String({ description: 'empty when it is about the instance as a whole' }),
  now: Value,
  set_to: Type.Unknown({ description: 'what the record made of it' }),
  before: Type.Unknown({ description: 'what it was before the record' }),
  why: Type.String({ description: 'what prevents it, and what to do' }),
  forcible: Type.Boolean({ description: 'whether "on_conflict": "force" overwrites the later change' }),
  since: Type.Union([Type.Object(By), Type.Null()], { description: 'the newest change since; null if none is known' }),
})

export const UndoneRecord = Type.Object({
  position: Type.Integer(),
  bk_obj_id: Type.String(),
  bk_inst_id: Type.Integer(),
  name: Type.String(),
  op_type: Type.Integer({ description: 'of the record: 1 add, 2 update, 3 delete, 100 host moved' }),
  op_desc: Type.String(),
  outcome: Type.Union([Type.Literal('undone'), Type.Literal('already'), Type.Literal('conflict')]),
  conflicts: Type.Array(Conflict),
})
export type UndoneRecord = Static<typeof UndoneRecord>

export const UndoResult = Type.Object({
  undone: Type.Integer({ description: 'records that are undone' }),
  already: Type.Integer({ description: 'records whose effect is gone already' }),
  conflict: Type.Integer({ description: 'records that are left as they are' }),
  records: Type.Array(UndoneRecord, { description: 'newest first, as they are undone' }),
})
export type UndoResult = Static<typeof UndoResult>

export const undo = endpoint({
  name: 'undo_change',
  method: 'POST',
  effect: 'write',
  path: '/history/undo',
  area: 'History',
  maxBodyBytes: batchBodyBytes,
  summary:
    'Undo a change, all changes of a request, or single records: what was created is deleted, what was deleted returns under its old id with its attributes, children and placements, updates and moves go back. One transaction. The caller must be able to read the records, or have made the change, and needs the privileges of each inverse operation. With dry_run=true, the plan.',
  allow: mayAudit,
  query: { dry_run: 'true answers the plan and changes nothing' },
  body: Type.Partial(
    Type.Object({
      txn_id: Type.String({ minLength: 1, maxLength: 64, description: 'a change, as in the audit log' }),
      request_id: Type.String({ minLength: 1, maxLength: 256, description: 'all changes of a request' }),
      positions: Type.Array(Id, { minItems: 1, maxItems: mostUndone, description: 'single records' }),
      on_conflict: Type.Union([Type.Literal('refuse'), Type.Literal('skip'), Type.Literal('force')], {
        description:
          'what to do with records that were overtaken by later changes: refuse everything (the default), skip them, or overwrite the later changes',
      }),
    }),
  ),
  refuses: [
    'invalid',
    'notFound',
    'tooMany',
    'undoConflict',
    'recordIncomplete',
    'recordRemoved',
    'denied',
    'duplicate',
    'modelPaused',
    'noCloudArea',
  ],
  data: UndoResult,
  example: { body: { positions: [1], on_conflict: 'skip' } },
})

const Instance = { bk_obj_id: Text, bk_inst_id: Id }

/** A module that a host was in. Names are those of the time of the record, or the present ones where it has only ids. */
const ModuleOfHost = Type.Object({
  bk_biz_id: Type.Integer(),
  bk_biz_name: Type.String(),
  bk_set_id: Type.Integer(),
  bk_set_name: Type.String(),
  bk_module_id: Type.Integer(),
  bk_module_name: Type.String(),
})
export type ModuleOfHost = Static<typeof ModuleOfHost>

const Moved = Type.Object({
  left: Type.Array(ModuleOfHost, { description: 'modules that the host left' }),
  entered: Type.Array(ModuleOfHost, { description: 'modules that the host entered' }),
})

/** Who changed something, when and why. */
const Author = {
  position: Type.Integer({ description: 'of the record in the log' }),
  operator: Type.String(),
  op_time: Type.String(),
  op_reason: Type.String(),
  request_id: Type.String(),
  txn_id: Type.String({ description: 'the change: all records of one transaction have the same' }),
}

const FieldChange = {
  bk_property_id: Type.String(),
  bk_property_name: Type.String({ description: 'in the language of the caller' }),
  before: Value,
  after: Value,
}

export const Version = Type.Object({
  ...Author,
  op_type: Type.Integer({ description: '1 add, 2 update, 3 delete, 100 host moved' }),
  op_desc: Type.String(),
  bk_biz_id: Type.Integer(),
  bk_obj_id: Type.String(),
  bk_inst_id: Type.Integer(),
  name: Type.String({ description: 'of the instance' }),
  revision: Type.Integer({ description: 'of the instance after the change; 0 where instances have none' }),
  undoes: Type.Array(Type.Integer(), { description: 'positions of the records that it undoes' }),
  changes: Type.Array(Type.Object(FieldChange), { description: 'the fields that an update changed' }),
  moved: Type.Union([Moved, Type.Null()], {
    description: 'of a host that was placed, moved or deleted; otherwise null',
  }),
  data: Type.Union([JsonObject, Type.Null()], {
    description: 'the whole record after the change; null after a deletion. For a move, where the host was after it.',
  }),
})
export type Version = Static<typeof Version>

const period = {
  from: `only changes after this moment: ${momentForms}`,
  to: 'only changes up to this moment, in the same forms',
}

const refusesMoments = ['momentGone', 'positionGone', 'notReady'] as const

export const getInstanceHistory = endpoint({
  name: 'get_instance_history',
  method: 'GET',
  effect: 'read',
  path: '/history/:bk_obj_id/:bk_inst_id',
  area: 'History',
  summary:
    'Get the versions of a business, set, module, host or other instance, newest first, also of one that was deleted. With below=true, everything that was below it at the time is included: instances, hosts that were placed there, and for a business its saved queries. Readable like the audit log; for objects off the main line also with `search`.',
  allow: mayAudit,
  params: Instance,
  query: {
    below: 'true includes what was below it at the time',
    op_type: 'only versions of this operation: 1 add, 2 update, 3 delete, 100 host moved',
    ...period,
    start: 'offset of the first version; 0 by default',
    limit: 'page size, at most 200; 20 by default',
  },
  refuses: ['invalid', 'notInteger', 'pageLimit', 'notFound', 'denied', 'tooMany', ...refusesMoments],
  data: Type.Object({
    count: Type.Integer({ description: 'how many versions there are, before paging' }),
    info: Type.Array(Version),
  }),
  example: { params: { bk_obj_id: 'set', bk_inst_id: 3 }, query: { below: 'true', limit: '10' } },
})

export const getBlame = endpoint({
  name: 'get_blame',
  method: 'GET',
  effect: 'read',
  path: '/history/:bk_obj_id/:bk_inst_id/blame',
  area: 'History',
  summary:
    'Get who set each value of an instance, when, and why: for every field that has a value or was changed, the newest record that set it. For a host also who placed it in its modules (`bk_module_id`). Readable like its versions.',
  allow: mayAudit,
  params: Instance,
  refuses: ['notFound', 'denied', 'tooMany', 'notReady'],
  data: Type.Array(
    Type.Object({
      bk_property_id: Type.String(),
      bk_property_name: FieldChange.bk_property_name,
      value: Value,
      ...Author,
      position: Type.Union([Author.position, Type.Null()], {
        description: 'null if the record that set it was removed by retention; the following fields are then empty',
      }),
    }),
  ),
  example: { params: { bk_obj_id: 'set', bk_inst_id: 3 } },
})

const Moment = Type.Object({
  position: Type.Integer({ description: 'of the newest record then' }),
  time: Type.String(),
})

export const differences = ['created', 'deleted', 'changed', 'moved'] as const
export type Difference = (typeof differences)[number]

const DiffCounts = Type.Object({
  created: Type.Integer(),
  deleted: Type.Integer(),
  changed: Type.Integer(),
  moved: Type.Integer(),
})

export const DiffRow = Type.Object({
  change: Type.Union(
    [Type.Literal('created'), Type.Literal('deleted'), Type.Literal('changed'), Type.Literal('moved')],
    {
      description:
        'a host that was moved may also have changed fields. For a query, `created` has entered its result and `deleted` has left it.',
    },
  ),
  bk_obj_id: Type.String(),
  bk_inst_id: Type.Integer(),
  name: Type.String({ description: 'at the later moment, or when it was deleted' }),
  ...Author,
  position: Type.Union([Author.position, Type.Null()], {
    description:
      'null for a host that is in the result of a query at one moment only, and has not changed itself but, for example, its set has; the following fields are then empty',
  }),
  fields: Type.Array(Type.Object({ ...FieldChange, ...Author }), {
    description: 'fields that differ, each with the newest record that changed it',
  }),
  left: Type.Array(ModuleOfHost, { description: 'of a host: modules that it was in at the earlier moment only' }),
  entered: Type.Array(ModuleOfHost, { description: 'of a host: modules that it is in at the later moment only' }),
})
export type DiffRow = Static<typeof DiffRow>

/** The lines of a diff that is sent as JSON lines: the moments, the rows, the counts. */
export const linesOfDiff = 'application/x-ndjson'

export const getDiff = {
  ...endpoint({
    name: 'get_diff',
    method: 'POST',
    effect: 'read',
    path: '/history/diff',
    area: 'History',
    summary:
      'Compare two moments of a business, or of an instance with everything below it: what was created, deleted, changed and moved, field by field, with who did it. With `query_id`, the hosts in the result of a saved query, as it was defined at the later moment. What differed only in between is not listed. Of records in businesses that the caller may not audit only the position is told. With `Accept: application/x-ndjson` all rows are sent as JSON lines: first the moments, last the counts. Readable like the audit log.',
    allow: mayAudit,
    body: Type.Object({
      bk_biz_id: Type.Optional(Id),
      query_id: Type.Optional(Text),
      bk_obj_id: Type.Optional(Text),
      bk_inst_id: Type.Optional(Id),
      from: MomentText,
      to: Type.Optional(Type.String({ ...MomentText, description: 'the same forms; the present by default' })),
      page: Type.Optional(Type.Partial(Type.Object({ start: Start, limit: Limit }))),
    }),
    refuses: ['invalid', 'notFound', 'denied', 'tooMany', ...refusesMoments],
    data: Type.Object({
      from: Moment,
      to: Moment,
      counts: DiffCounts,
      count: Type.Integer({ description: 'how many rows there are, before paging' }),
      info: Type.Array(DiffRow),
    }),
    example: { body: { bk_obj_id: 'set', bk_inst_id: 3, from: 'position:1', page: { start: 0, limit: 20 } } },
  }),
  alsoStreams: linesOfDiff,
} as const
