import Type, { type Static } from 'typebox'
import { anyone, byGroup } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { Id, literals, Success, Text, Timestamp } from './vocabulary.ts'

const RuleKeys = Type.Array(
  Type.Object({
    key_kind: Type.Literal('property'),
    key_id: Type.Integer({ description: 'the id of an attribute' }),
  }),
  { minItems: 1, maxItems: 10 },
)
const MustCheck = Type.Boolean({ description: 'also for instances where one of the values is empty' })

export const UniqueRuleRecord = Type.Object({
  id: Type.Integer({ description: 'negative if the rule is built in' }),
  bk_obj_id: Type.String(),
  must_check: MustCheck,
  keys: RuleKeys,
  ispre: Type.Boolean({ description: 'built in' }),
  bk_supplier_account: Type.String(),
  last_time: Timestamp,
  bk_unique_state: Type.Union(literals(['checking', 'enforced', 'refused'] as const), {
    description: 'checking while existing instances are checked; refused if two of them have the same values',
  }),
  bk_checked: Type.Integer({ description: 'how many existing instances have been checked so far' }),
  bk_duplicates: Type.String({ description: 'the first duplicates of a refused rule' }),
})
export type UniqueRuleRecord = Static<typeof UniqueRuleRecord>

const byAssetId = [{ key_kind: 'property', key_id: 5 }]

export const createRule = endpoint({
  name: 'create_object_unique',
  method: 'POST',
  effect: 'write',
  path: '/object/:bk_obj_id/unique/action/create',
  area: 'Model',
  summary:
    'Create a unique rule: no two instances of the object have the same values in these attributes. Existing instances are checked first; if there are many, in the background.',
  allow: byGroup('model'),
  params: { bk_obj_id: Text },
  body: Type.Object({ keys: RuleKeys, must_check: Type.Optional(MustCheck) }, { additionalProperties: true }),
  refuses: ['modelNotFound', 'unknown', 'duplicate', 'tooMany', 'uniqueViolated'],
  data: UniqueRuleRecord,
  example: { params: { bk_obj_id: 'host' }, body: { keys: byAssetId, must_check: false } },
})

export const updateRule = endpoint({
  name: 'update_object_unique',
  method: 'PUT',
  effect: 'write',
  path: '/object/:bk_obj_id/unique/:id/action/update',
  area: 'Model',
  summary: 'Update a unique rule. Existing instances are checked as for a new one, also if the rule had been refused.',
  allow: byGroup('model'),
  params: { bk_obj_id: Text, id: Id },
  body: Type.Object(
    { keys: Type.Optional(RuleKeys), must_check: Type.Optional(MustCheck) },
    { additionalProperties: true },
  ),
  refuses: ['notFound', 'unknown', 'duplicate', 'uniqueViolated'],
  data: Success,
  example: { params: { bk_obj_id: 'host', id: 1 }, body: { must_check: false } },
})

export const deleteRule = endpoint({
  name: 'delete_object_unique',
  method: 'DELETE',
  effect: 'write',
  path: '/object/:bk_obj_id/unique/:id/action/delete',
  area: 'Model',
  summary: 'Delete a unique rule, also while existing instances are being checked.',
  allow: byGroup('model'),
  params: { bk_obj_id: Text, id: Id },
  refuses: ['notFound'],
  data: Success,
  example: { params: { bk_obj_id: 'host', id: 1 } },
})

export const searchRules = endpoint({
  name: 'search_object_unique',
  method: 'GET',
  effect: 'read',
  path: '/object/:bk_obj_id/unique/action/search',
  area: 'Model',
  summary:
    'The unique rules of an object. The built-in one first: names among siblings, on the main line under one parent; hosts by inner address and cloud area.',
  allow: anyone,
  params: { bk_obj_id: Text },
  refuses: ['modelNotFound'],
  data: Type.Array(UniqueRuleRecord),
  example: { params: { bk_obj_id: 'host' } },
})
