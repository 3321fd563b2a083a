import { type Problem, problem, type Rule, rule } from '@mainline/contract'
import type { Reader, Tx } from '../../../storage/index.ts'
import { builtIn, selectBusinesses } from '../../topology/index.ts'

/** Businesses with their node and name; the name null is the resource pool. */
export async function businessNames({ reader, account }: { readonly reader: Reader; readonly account: string }) {
  const rows = await selectBusinesses(reader)
    .where('node.account', '=', account)
    .where('business.living_name', 'is not', null)
    .orderBy('node.inst_id')
    .execute()
  return rows.map((node) => ({ node, name: node.built_in === builtIn.pool ? null : node.name }))
}

export const missing = (what: Rule, name: string | null): Problem =>
  problem('badRow', { why: rule('noSuchName', { what, name: name ?? '' }) })

/** The public id of a business by its name. */
export async function businessCalled(tx: Tx, name: string | null): Promise<{ id: number; node: number }> {
  const found = (await businessNames({ reader: tx, account: tx.actor.account })).find((each) => each.name === name)
  if (!found) throw missing(rule('business'), name)
  return { id: found.node.inst_id, node: found.node.id }
}
