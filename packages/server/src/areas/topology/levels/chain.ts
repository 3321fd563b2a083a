import { preparedShared, type Reader } from '../../../storage/index.ts'
import type { Model, ObjectModel } from '../../model/index.ts'

/** The objects of the main line from the business down to the host. */
export function chainOf(model: Model): ObjectModel[] {
  const under = new Map([...model.objects.values()].map((object) => [object.above, object]))
  const chain: ObjectModel[] = []
  for (let object = under.get(''); object; object = under.get(object.id)) chain.push(object)
  return chain
}

/** The objects between an object and the hosts, from the top down. */
export function objectsBelow(model: Model, object: string): string[] {
  const ids = chainOf(model).map((each) => each.id)
  return ids.slice(ids.indexOf(object) + 1, -1)
}

const versions = preparedShared((reader, { account }: { account: string }) =>
  reader.selectFrom('account').select('chain_version').where('name', '=', account),
)

/**
 * For reads that take several statements: repeated when a level was inserted or removed in between, because with other
 * levels hardly any instance would be found under its parent.
 */
export async function underOneChain<T>(reader: Reader, account: string, read: () => Promise<T>): Promise<T> {
  const version = async () => (await versions(reader, { account }))[0]?.chain_version
  for (let before = await version(); ; ) {
    const found = await read()
    const after = await version()
    if (after === before) return found
    before = after
  }
}
