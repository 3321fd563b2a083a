import Type, { type Static } from 'typebox'
import { mayAudit } from './allow.ts'
import { batchBodyBytes, endpoint } from './endpoint.ts'
import { Id } from './vocabulary.ts'

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
