// Associations of hosts with switches: each host with one switch at most, whatever fails.
import type { Actions } from './actions.ts'
import type { Client } from './client.ts'
import type { Random } from './random.ts'

const name = 'bk_switch_connect_host'

/** What `makeWorld` allows before the load starts. */
export const declaration = { bk_obj_id: 'bk_switch', bk_asst_obj_id: 'host', bk_asst_id: 'connect', mapping: '1:n' }

/** A client's own switches, and hosts that it or another client has associated, moved or deleted meanwhile. */
export function associationActionsOf(client: Client, random: Random, someHost: () => number | undefined): Actions {
  const switches: number[] = []
  const associated: number[] = []

  async function addSwitch(): Promise<void> {
    const values = { bk_inst_name: `switch ${client.fresh()}` }
    const made = await client.change<{ bk_inst_id: number }>(
      { method: 'POST', path: '/inst/0/bk_switch', body: values },
      { what: 'create switch', effects: () => [{ kind: 'made', object: 'bk_switch', values }] },
    )
    if (made.data) switches.push(made.data.bk_inst_id)
  }

  async function associate(): Promise<void> {
    const host = someHost()
    if (host === undefined) return
    if (switches.length < 3) return addSwitch()
    const ends = { bk_inst_id: random.among(switches), bk_asst_inst_id: host }
    const made = await client.change<{ id: number }>(
      { method: 'POST', path: '/inst/association/action/create', body: { bk_obj_asst_id: name, ...ends } },
      { what: 'associate', effects: () => [{ kind: 'made', object: 'instassociation', values: ends }] },
    )
    if (made.data) associated.push(made.data.id)
  }

  async function dissociate(): Promise<void> {
    const id = associated.shift()
    if (id === undefined) return associate()
    const told = await client.change(
      { method: 'DELETE', path: `/inst/association/${id}/action/delete` },
      { what: 'dissociate', effects: () => [{ kind: 'gone', object: 'instassociation', instance: id }] },
    )
    if (told.outcome === 'refused') associated.push(id)
  }

  return [
    { weight: 10, run: associate },
    { weight: 6, run: dissociate },
  ]
}
