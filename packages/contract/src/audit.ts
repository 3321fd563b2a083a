import Type from 'typebox'
import { byGroup, mayAudit } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { ConditionBody, Found, JsonObject, Limit, Sort, Start } from './vocabulary.ts'

/** op_type as a number, and the words a condition may use for it. */
export const operationTypes = { add: 1, update: 2, delete: 3, transfer: 100 } as const
export type OperationType = keyof typeof operationTypes

export const OperationRecord = Type.Object({
  bk_supplier_account: Type.String(),
  bk_biz_id: Type.Integer(),
  op_type: Type.Integer({ description: '1 add, 2 update, 3 delete, 100 host moved' }),
  op_desc: Type.String(),
  op_target: Type.String(),
  bk_obj_id: Type.String(),
  operator: Type.String(),
  op_from: Type.String(),
  content: Type.Object({
    pre_data: Type.Union([JsonObject, Type.Null()]),
    cur_data: Type.Union([JsonObject, Type.Null()]),
    header: Type.Array(Type.Object({ bk_property_id: Type.String(), bk_property_name: Type.String() })),
    type: Type.Literal('map'),
  }),
  ext_key: Type.String({ description: 'the inner IP addresses for hosts' }),
  ext_info: Type.String(),
  op_time: Type.String(),
  inst_id: Type.Integer(),
  request_id: Type.String(),
})

export const getOperationLog = endpoint({
  name: 'get_operation_log',
  method: 'POST',
  path: '/audit/search',
  area: 'Audit',
  summary: 'Search the operation log.',
  allow: mayAudit,
  body: Type.Object({
    condition: Type.Optional(ConditionBody),
    start: Type.Optional(Start),
    limit: Type.Optional(Limit),
    sort: Type.Optional(Sort),
  }),
  refuses: ['tooMany'],
  data: Found(OperationRecord),
  example: {
    body: { condition: { op_target: 'set', op_type: 'update', op_time: [] }, start: 0, limit: 10, sort: '-op_time' },
  },
})

/** What can be wrong with a stretch of the log. */
export const logFaults = ['order', 'chain', 'changed', 'unsealed', 'gap'] as const

export const getLogIntegrity = endpoint({
  name: 'get_log_integrity',
  method: 'GET',
  path: '/audit/integrity',
  area: 'Audit',
  summary:
    'Recompute the seals of the log, as `mainline verify` does: as many as a moment allows. Go on with `next` until it is null. The log and its seals are those of all accounts.',
  allow: byGroup('audit'),
  query: { after: 'the segment to go on after: the `next` of the answer before; absent from the beginning' },
  refuses: ['notInteger'],
  data: Type.Object({
    segments: Type.Integer({ description: 'sealed segments looked at by this request' }),
    records: Type.Integer({ description: 'records in them' }),
    unsealed: Type.Integer({ description: 'records behind the last seal' }),
    removed: Type.Integer({ description: 'records that retention has removed from them; their seals stay' }),
    restores: Type.Integer({ description: 'how often, among them, the log went on from a backup' }),
    checked: Type.Integer({ description: 'everything up to this position has been looked at' }),
    position: Type.Integer({ description: 'where the log ends' }),
    next: Type.Union([Type.Integer(), Type.Null()]),
    faults: Type.Array(
      Type.Object({
        fault: Type.String({
          description:
            'order: a segment is missing before it; chain: it does not carry the seal before it; changed: its records do not give its seal; unsealed: its seal is missing; gap: records are missing',
        }),
        segment: Type.Integer({ description: '0 for records without a seal' }),
        first_position: Type.Integer(),
        last_position: Type.Integer(),
      }),
    ),
  }),
})
