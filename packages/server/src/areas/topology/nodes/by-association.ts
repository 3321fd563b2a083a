import { problem, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { parseCondition } from '../../../condition/parse.ts'
import type { Caller } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import type { ObjectAssociation } from '../../associations/index.ts'
import { isLevel, type Model } from '../../model/index.ts'
import { type MissingSearchGrant, refuseUnsearchable } from '../../privileges/index.ts'
import { instanceObject } from './any-object.ts'
import { detachedIn } from './detached.ts'
import { fieldsOf } from './fields.ts'
import { inLivingBusinesses, searchNodes } from './search.ts'

/** A test of one field, as clients of the original send it. */
interface FieldCondition {
  readonly field: string
  readonly operator: string
  readonly value: unknown
}

type Condition = Readonly<Record<string, unknown>>

/** The same as conditions of all other searches. */
export const asConditions = (tests: readonly FieldCondition[]): Condition[] =>
  tests.map(({ field, operator, value }) => ({ [field]: { [operator]: value } }))

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? {} : { $and: conditions }

/** Other objects that one search may put conditions on: each costs a search of its own. */
export const mostOtherObjects = 10
/** Associated instances that one condition may find. */
const mostAssociated = 200
/** What is associated with them. */
const mostFound = 10_000

interface AssociationSearch {
  readonly actor: Caller
  readonly model: Model
  readonly zone: Zone
  readonly lacks: MissingSearchGrant
  /** The associations that the caller may follow. */
  readonly visible: readonly ObjectAssociation[]
}

/** The public ids of instances that are associated, on either side, with an instance of another object that passes the tests. */
export async function associatedWith(
  storage: Storage,
  { actor, model, zone, lacks, visible }: AssociationSearch,
  object: string,
  other: string,
  tests: readonly FieldCondition[],
): Promise<number[]> {
  const found = instanceObject(model, other)
  await refuseUnsearchable(storage, actor, [other], lacks)
  const { count, nodes } = await searchNodes(storage, {
    object: found,
    scope: isLevel(found) ? inLivingBusinesses(actor.account) : detachedIn(actor.account),
    condition: parseCondition(allOf(asConditions(tests)), { fields: fieldsOf(found), zone, text: 'whole' }),
    page: { start: 0, limit: mostAssociated },
    counted: 'anew',
  })
  if (count > mostAssociated) throw problem('tooMany', { what: `condition.${other}`, limit: mostAssociated })
  const sides = [
    ['source', 'target'],
    ['target', 'source'],
  ] as const
  const rows = await Promise.all(
    sides.map(([here, there]) => {
      const own = visible.filter((each) => each[`${here}_object`] === object && each[`${there}_object`] === other)
      return storage.heavy
        .selectFrom('instance_association')
        .select(`${here}_id as id`)
        .where((eb) =>
          storage.heavy.dialect.among(
            eb.ref('association'),
            own.map(({ id }) => id),
            'integer',
          ),
        )
        .where((eb) =>
          storage.heavy.dialect.among(
            eb.ref(`${there}_node`),
            nodes.map((node) => node.id),
            'integer',
          ),
        )
        .limit(mostFound + 1)
        .execute()
    }),
  )
  const ids = [...new Set(rows.flat().map(({ id }) => id))]
  if (ids.length > mostFound) {
    throw problem('tooMany', { what: `condition.${other}`, limit: mostFound, rule: rule('rows') })
  }
  return ids
}
