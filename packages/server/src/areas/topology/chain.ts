import { preparedShared, type Reader } from '../../platform/storage/index.ts'
import type { Model, ObjectModel } from '../model/index.ts'

/** The objects of the main line from the business down to the host. */
export function chainOf(model: Model): ObjectModel[] {
  const under = new Map([...model.objects.values()].map((object) => [object.above, object]))
  const chain: ObjectModel[] = []
  for (let object = under.get(''); object; object = under.get(object.id)) chain.push(object)
  return chain
}

/** What stands below an object and above the hosts, from the top down. */
export function below(model: Model, object: string): string[] {
  const ids = chainOf(model).map((each) => each.id)
  return ids.slice(ids.indexOf(object) + 1, -1)
}

const versions = preparedShared((reader, { account }: { account: string }) =>
  reader.selectFrom('account').select('chain_version').where('name', '=', account),
)

/**
 * For what reads the levels and what stands in them by more than one statement: done again when a level came or went
 * meanwhile, since by other levels hardly anything would be found where it belongs.
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
