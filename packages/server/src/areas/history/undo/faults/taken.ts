// Names and identifiers that other definitions have now: classifications, objects, attributes, their groups, associations, groups of users.
import { rule, type Words } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { allNames, wordsOf } from '../../../model/index.ts'
import { type Columns, readLive, text } from '../../recorded/index.ts'
import type { DefinitionKind, NetChanges } from '../net.ts'
import { collisionsOf } from './claims.ts'
import { type Fault, fault } from './existence.ts'

export async function faultsOfTakenDefinitions(tx: Tx, { definitions }: NetChanges): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [kind, own] of Map.groupBy(definitions, (each) => each.kind)) {
    const targets = new Map(own.map(({ key, target }) => [key, target]))
    const claimants = own.flatMap(({ key, now, target }) => {
      const had = now ? claimsOf(kind, now) : []
      const claims = target ? claimsOf(kind, target).filter((claim) => !had.includes(claim)) : []
      return claims.length > 0 ? [{ key, claims }] : []
    })
    if (claimants.length === 0) continue
    const live = await readLive(tx, tx.actor.account, kind)
    const stored = [...live].flatMap(([key, row]) => claimsOf(kind, row).map((claim) => ({ key, claim })))
    const collisions = collisionsOf(claimants, stored, ({ key, claim }) => {
      const target = targets.get(key)
      return targets.has(key) ? target !== undefined && claimsOf(kind, target).includes(claim) : true
    })
    for (const [key, { claim, holder }] of collisions) {
      const name = claim.slice(claim.lastIndexOf(separator) + 1)
      faults.push(fault(kind, key, rule('nameTaken', { name, holder: `${kind.replaceAll('_', ' ')} ${holder}` })))
    }
  }
  return faults
}

/** No identifier and no name has it. */
const separator = '\n'

/** Each claim ends with the name or the identifier. */
function claimsOf(kind: DefinitionKind, row: Columns): string[] {
  const claim = (...parts: string[]) => parts.join(separator)
  const value = (field: string) => text(row, field)
  const identifier = (field: string) => value(field).toLowerCase()
  /** A built-in name is taken in every language. */
  const named = (scope: string, words: Words | undefined) =>
    allNames(row.preset === 1 ? words : undefined, value('name')).map((name) => claim('name', scope, name))
  switch (kind) {
    case 'classification': {
      const id = value('classification_id')
      return [claim('id', identifier('classification_id')), ...named('', wordsOf.classification(id))]
    }
    case 'object':
      return [claim('id', identifier('object_id')), ...named('', wordsOf.object(value('object_id')))]
    case 'attribute_group': {
      const object = value('object_id')
      return [claim('id', object, identifier('group_id')), ...named(object, wordsOf.group(value('group_id')))]
    }
    case 'attribute': {
      const [object, id] = [value('object_id'), value('attribute_id')]
      return [claim('id', object, id), ...named(object, wordsOf.attribute(object, id))]
    }
    case 'association_kind':
      return [claim('id', identifier('kind'))]
    case 'object_association': {
      const pair = `${value('source_object')} ${value('kind')} ${value('target_object')}`
      return [claim('id', value('association_id')), claim('pair', pair)]
    }
    case 'user_group':
      return [claim('name', value('name'))]
    default:
      return []
  }
}
