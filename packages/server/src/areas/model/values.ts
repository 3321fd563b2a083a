// What is kept beside instances, in step with them: the index of searchable attributes, and the values of unique rules.

import type { Tx } from '../../storage/index.ts'
import type { Attributes } from './check.ts'
import type { ObjectModel } from './model.ts'
import { indexValues, reindexValues, unindexValues, type Valued } from './searchable/searchable.ts'
import { dropUniques, keepUniques, replaceUniques } from './unique/values.ts'

const bound = <Each extends Valued>(instances: readonly Each[]) => instances.filter(({ isBuiltIn }) => !isBuiltIn)

/** Of new instances. */
export async function keepValues(tx: Tx, object: ObjectModel, instances: readonly Valued[]): Promise<void> {
  keepUniques(tx, object.uniques, bound(instances))
  await indexValues(tx, object, instances)
}

/** Of changed instances, after they are written; with `before`, only what has changed. */
export async function replaceValues(
  tx: Tx,
  object: ObjectModel,
  instances: readonly (Valued & { readonly before?: Attributes })[],
): Promise<void> {
  await replaceUniques(tx, object, bound(instances))
  await reindexValues(tx, object, instances)
}

/** Of deleted instances. */
export async function dropValues(tx: Tx, object: ObjectModel, instances: readonly number[]): Promise<void> {
  await dropUniques(tx, object.uniques, instances)
  await unindexValues(tx, object, instances)
}
