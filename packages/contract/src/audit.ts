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
  txn_id: Type.String({ description: 'the change: all records of one transaction have the same' }),
  undoes: Type.Array(Type.Integer(), { description: 'positions of the records that it undoes; usually none' }),
  op_reason: Type.String({ description: 'the X-Change-Reason of the change; empty when none was given' }),
  revision: Type.Integer({ description: 'of the instance after the change; 0 where instances have none' }),
  position: Type.Union([Type.Integer(), Type.Null()], {
    description: 'position in the log; null briefly after the change, until it is assigned',
  }),
})

const ChangedRecord = Type.Object({
  position: Type.Union([Type.Integer(), Type.Null()]),
  bk_obj_id: Type.String(),
  inst_id: Type.Integer(),
  bk_biz_id: Type.Integer(),
  name: Type.String({ description: 'of the instance; of a host its addresses' }),
  op_type: Type.Integer(),
  op_desc: Type.String(),
})

/** Records of a change that its row lists. */
export const firstRecords = 5

/** A row of a search that is grouped by change has these keys instead of those of a single record. */
const OfChange = {
  summary: Type.String({
    description: 'with group_by: what the change did, as a sentence in the language of the caller',
  }),
  counts: Type.Array(Type.Object({ bk_obj_id: Type.String(), op_type: Type.Integer(), records: Type.Integer() }), {
    description: 'with group_by: the records of the change by object and operation',
  }),
  record_count: Type.Integer({ description: 'with group_by: how many records the change has' }),
  records: Type.Array(ChangedRecord, {
    description: `with group_by: the first ${firstRecords} of them; all are found by \`txn_id\``,
  }),
}
/** A row of the audit log: a record, or with `group_by` a change. */
export const AuditRow = Type.Object({ ...OperationRecord.properties, ...OfChange })

export const getOperationLog = endpoint({
  name: 'get_operation_log',
  method: 'POST',
  effect: 'read',
  path: '/audit/search',
  area: 'Audit',
  summary:
    'Search the operation log. A condition on `inst_name` finds all records of instances that have, or once had, exactly this name. With group_by "txn", one row per change, newest first: of the changes that have a matching record.',
  allow: mayAudit,
  body: Type.Object({
    condition: Type.Optional(ConditionBody),
    start: Type.Optional(Start),
    limit: Type.Optional(Limit),
    sort: Type.Optional(Sort),
    group_by: Type.Optional(
      Type.Literal('txn', {
        description:
          'one row per change: operator, op_time, op_reason, txn_id, request_id, summary, counts, record_count, records; `count` covers at least the newest 20,000 matching records',
      }),
    ),
  }),
  refuses: ['tooMany'],
  data: Found(AuditRow),
  example: {
    body: { condition: { op_target: 'set', op_type: 'update', op_time: [] }, start: 0, limit: 10, sort: '-op_time' },
  },
})

export const getLogIntegrity = endpoint({
  name: 'get_log_integrity',
  method: 'GET',
  effect: 'read',
  path: '/audit/integrity',
  area: 'Audit',
  summary:
    'Verify the seals of the log, like `mainline verify`, as many as fit into one request. Continue with `next` until it is null. The log and its seals cover all accounts.',
  allow: byGroup('audit'),
  query: { after: 'the segment to go on after: the `next` of the answer before; absent from the beginning' },
  refuses: ['notInteger'],
  data: Type.Object({
    segments: Type.Integer({ description: 'sealed segments verified by this request' }),
    records: Type.Integer({ description: 'records of the account in them' }),
    unsealed: Type.Integer({ description: 'records of the account after the last seal' }),
    removed: Type.Integer({
      description: 'records of all accounts removed from them by retention; their seals are kept',
    }),
    restores: Type.Integer({ description: 'how often the log in these segments was continued from a backup' }),
    signed: Type.Integer({ description: 'how many of them have a valid signature of the key of this server' }),
    witnessed: Type.Union([Type.Integer(), Type.Null()], {
      description: 'last segment whose seal the witness has; null when this server has no witness',
    }),
    checked: Type.Integer({ description: 'everything up to this position has been verified' }),
    position: Type.Integer({ description: 'last position of the log' }),
    next: Type.Union([Type.Integer(), Type.Null()]),
    faults: Type.Array(
      Type.Object({
        fault: Type.String({
          description:
            'order: the preceding segment is missing; chain: its seal does not continue the preceding one; changed: its records do not match its seal; unsealed: its seal is missing; gap: records are missing; signature: its signature is invalid; unsigned: it is not signed, although earlier ones are',
        }),
        segment: Type.Integer({ description: '0 for records without a seal' }),
        first_position: Type.Integer(),
        last_position: Type.Integer(),
      }),
    ),
  }),
})

const hash = (description: string) => Type.String({ description: `${description}, SHA-256 in hex` })

const SealStatement = Type.Object({
  segment: Type.Integer({ description: 'counts from 1' }),
  first_position: Type.Integer(),
  last_position: Type.Integer(),
  last_time: Type.Integer({ description: 'of its newest record, in milliseconds since 1970' }),
  sealed_at: Type.Integer({ description: 'in milliseconds since 1970' }),
  previous: hash('`hash` of the segment before; empty in the first'),
  hash: hash('over `previous` and all records of the segment'),
  root: hash('root of the Merkle tree over the records of the segment'),
  floor: Type.Integer({ description: 'the oldest record that was kept when it was sealed' }),
  retention_days: Type.Integer({ description: 'retention in days at that time; 0 keeps records indefinitely' }),
  signed_since: Type.Integer({ description: 'the segment with which signing began; 0 in an unsigned seal' }),
  key_id: Type.String({ description: 'which key has signed it; empty in an unsigned seal' }),
  signature: Type.String({ description: 'Ed25519, in base64; empty in an unsigned seal' }),
})

export const getAuditReceipt = endpoint({
  name: 'get_audit_receipt',
  method: 'GET',
  effect: 'read',
  path: '/audit/receipt/:position',
  area: 'Audit',
  summary:
    'Get a receipt for one record of the log: the record as it was sealed, its path through the Merkle tree of its segment, and the seal. Checked offline by `mainline verify --receipt FILE`, or as [Sealed and witnessed](/docs/concepts/seals) describes.',
  allow: mayAudit,
  params: { position: Type.Integer({ minimum: 1, description: '`position` of a record of get_operation_log' }) },
  refuses: ['notFound', 'denied', 'recordRemoved', 'noReceipt'],
  data: Type.Object({
    position: Type.Integer(),
    record: Type.String({ description: 'the sealed text: a JSON array and a line break' }),
    path: Type.Array(Type.String(), {
      description: 'hashes from the leaf to the root of the Merkle tree, in hex (RFC 9162, section 2.1.3)',
    }),
    seal: SealStatement,
  }),
  example: { params: { position: 1 } },
})
