import {
  type BodyOf,
  backConfigs,
  globalBusinesses,
  modelActions,
  type privileges,
  problem,
  rule,
} from '@mainline/contract'
import type { Reader, Tx } from '../../storage/index.ts'
import type { Given, Group } from './grants.ts'
import { holdGroup } from './groups.ts'

/** Limits, because the grants are read with every request of a member. */
const mostObjects = 1_000
const longestId = 128

type Sent = BodyOf<typeof privileges.updateGroupPrivilege>

/** Normalises the accepted forms of a group's grants. */
function readGiven({ sys_config, back_config, model_config }: Sent): Given {
  return {
    global_busi: readEntries('sys_config.global_busi', sys_config?.global_busi ?? [], globalBusinesses),
    back_config: readBackConfig(sys_config?.back_config, back_config),
    model_config: readModelConfig(model_config ?? {}),
  }
}

/** Without duplicates, in the order sent. */
function readEntries<Word extends string>(field: string, sent: readonly string[], known: readonly Word[]): Word[] {
  return [...new Set(sent)].map((each) => {
    const word = known.find((one) => one === each)
    if (word !== undefined) return word
    throw problem('unknown', { field, rule: rule('noneOf', { value: each.slice(0, 100), values: known.join(', ') }) })
  })
}

function readBackConfig(inside: Sent['back_config'], beside: Sent['back_config']): Given['back_config'] {
  const [one, other] = [readBack('sys_config.back_config', inside), readBack('back_config', beside)]
  if (one && other && one.toSorted().join() !== other.toSorted().join()) {
    throw problem('invalid', { field: 'back_config', rule: rule('sameTwice') })
  }
  return other ?? one ?? []
}

function readBack(field: string, sent: Sent['back_config']): Given['back_config'] | undefined {
  if (sent === undefined) return undefined
  if (Array.isArray(sent)) return readEntries(field, sent, backConfigs)
  // "event": false is refused, because only the presence of a key counts.
  for (const [key, value] of Object.entries(sent)) {
    if (value === false) throw problem('invalid', { field: `${field}.${key}`, rule: rule('value', { value: 'false' }) })
  }
  return readEntries(field, Object.keys(sent), backConfigs)
}

function readModelConfig(sent: NonNullable<Sent['model_config']>): Given['model_config'] {
  const objects = Object.values(sent).reduce((sum, each) => sum + Object.keys(each ?? {}).length, 0)
  if (objects > mostObjects) throw problem('tooMany', { what: 'model_config', limit: mostObjects })
  const readOf = (classification: string, each: Readonly<Record<string, readonly string[] | null>>) =>
    mapped(`model_config.${classification}`, each, (field, actions) => readEntries(field, actions, modelActions))
  return mapped('model_config', sent, (_, each, classification) => readOf(classification, each))
}

function mapped<From, To>(
  field: string,
  map: Readonly<Record<string, From | null>>,
  read: (field: string, value: From, key: string) => To,
): Record<string, To> {
  const entries = Object.entries(map).flatMap(([key, value]): [string, To][] => {
    if (value === null) return []
    if (key === '' || key.length > longestId || /\p{Cc}/u.test(key)) {
      throw problem('invalid', { field, rule: rule('text') })
    }
    return [[key, read(`${field}.${key}`, value, key)]]
  })
  return Object.fromEntries(entries)
}

/** Shows grants in all places where the original API has them. */
export function showGiven(account: string, { global_busi, back_config, model_config }: Given) {
  const sys_config = { global_busi: [...global_busi], back_config: [...back_config] }
  const models = model_config as Record<string, Record<string, string[]>>
  return {
    bk_supplier_account: account,
    sys_config,
    back_config: [...back_config],
    model_config: models,
    privilege: { sys_config, model_config: models },
  }
}

export async function giveGroup(tx: Tx, groupId: string, sent: Sent): Promise<void> {
  const row = await holdGroup(tx, groupId)
  const given = readGiven(sent)
  const privileges = JSON.stringify(given)
  if (privileges === row.privileges) return
  const revision = row.revision + 1
  await tx.updateTable('user_group').set({ privileges, revision }).where('id', '=', row.id).execute()
  const named = { group_id: groupId, group_name: row.name }
  tx.record({
    operation: 'update',
    object: 'privilege',
    instance: row.id,
    business: 0,
    description: 'update group privilege',
    revision,
    before: { ...named, ...JSON.parse(row.privileges) },
    after: { ...named, ...given },
    events: [],
  })
}

/** The combined grants of several groups. */
export function union(groups: readonly Group[]): Given {
  const models = new Map<string, Map<string, Set<string>>>()
  for (const { given } of groups) {
    for (const [classification, objects] of Object.entries(given.model_config)) {
      const known = models.get(classification) ?? new Map<string, Set<string>>()
      models.set(classification, known)
      for (const [object, actions] of Object.entries(objects)) {
        known.set(object, new Set([...(known.get(object) ?? []), ...actions]))
      }
    }
  }
  const inOrder = <Word extends string>(words: readonly Word[], held: ReadonlySet<string>) =>
    words.filter((word) => held.has(word))
  const objectsOf = (objects: Map<string, Set<string>>) =>
    Object.fromEntries(objects.entries().map(([object, held]) => [object, inOrder(modelActions, held)]))
  return {
    global_busi: inOrder(globalBusinesses, new Set(groups.flatMap(({ given }) => given.global_busi))),
    back_config: inOrder(backConfigs, new Set(groups.flatMap(({ given }) => given.back_config))),
    model_config: Object.fromEntries(models.entries().map(([id, objects]) => [id, objectsOf(objects)])),
  }
}

/** The grants of an administrator: every value, for every object. */
export async function allGrants(reader: Reader, account: string): Promise<Given> {
  const objects = await reader
    .selectFrom('object')
    .select(['classification_id', 'object_id'])
    .where('account', '=', account)
    .orderBy('id')
    .execute()
  const byClassification = Map.groupBy(objects, (row) => row.classification_id)
  const all = (rows: typeof objects) => Object.fromEntries(rows.map((row) => [row.object_id, modelActions]))
  return {
    global_busi: globalBusinesses,
    back_config: backConfigs,
    model_config: Object.fromEntries(byClassification.entries().map(([id, rows]) => [id, all(rows)])),
  }
}
