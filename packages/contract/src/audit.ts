import Type from 'typebox'
import { mayAudit } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { ConditionBody, Found, Limit, Sort, Start } from './vocabulary.ts'

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
    pre_data: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    cur_data: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
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
    condition: Type.Optional(Type.Union([ConditionBody, Type.Null()])),
    start: Type.Optional(Start),
    limit: Type.Optional(Limit),
    sort: Type.Optional(Sort),
  }),
  data: Found(OperationRecord),
  example: {
    body: { condition: { op_target: 'set', op_type: 'update', op_time: [] }, start: 0, limit: 10, sort: '-op_time' },
  },
})
