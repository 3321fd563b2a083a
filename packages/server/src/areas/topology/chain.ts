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
