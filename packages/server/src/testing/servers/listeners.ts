// A group whose members may subscribe to events, with its other grants.
import type { TestServer } from '../harness.ts'

export interface Listeners {
  /** Replaces the grants of the group besides `event`: the objects whose instances its members may search. */
  maySearch(...objects: string[]): Promise<unknown>
}

export async function makeListeners(server: TestServer, users: string): Promise<Listeners> {
  await server.call('POST', '/topo/privilege/group/0', { group_name: `listeners ${users}`, user_list: users })
  const found = await server.call<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', {
    group_name: `listeners ${users}`,
  })
  const path = `/topo/privilege/group/detail/0/${found.data[0].group_id}`
  const maySearch = (...objects: string[]) =>
    server.call('POST', path, {
      back_config: ['event'],
      model_config: { bk_network: Object.fromEntries(objects.map((object) => [object, ['search']])) },
    })
  await maySearch()
  return { maySearch }
}
