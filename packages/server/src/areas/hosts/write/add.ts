import { type Language, mostHosts, problem, rule } from '@mainline/contract'
import type { Actor, Storage, Tx } from '../../../storage/index.ts'
import type { Attributes } from '../../model/index.ts'
import { findPool, joinBusiness } from '../../topology/index.ts'
import { spotsToEnter } from '../placement/placement.ts'
import type { Editor } from './change.ts'
import { type HostRowResult, matchRows, unlessOvertaken } from './settle.ts'

interface Addition {
  /** Undefined for the resource pool. */
  readonly bizId: number | undefined
  /** Modules of the business; undefined for the idle one. */
  readonly moduleIds?: readonly number[]
  /** Attributes by row number, as sent. */
  readonly rows: Readonly<Record<string, Attributes>>
  /** Whether one invalid row rolls back all. */
  readonly atomic: boolean
}

export interface AddReport {
  success: string[]
  error: string[]
  update_error: string[]
  hosts: Record<string, number>
}

/** Adds hosts, and updates existing ones. Invalid rows are reported by number; the others are kept. */
export async function addHosts(
  storage: Storage,
  actor: Actor & { readonly language: Language },
  addition: Addition,
  editor: Editor,
): Promise<AddReport> {
  const count = Object.keys(addition.rows).length
  if (count === 0) throw problem('unassigned', { field: 'host_info' })
  if (count > mostHosts) throw problem('tooMany', { what: 'host_info', limit: mostHosts })
  const odd = Object.keys(addition.rows).find((number) => !/^\d{1,9}$/.test(number))
  if (odd !== undefined) {
    throw problem('invalid', { field: 'host_info', rule: rule('rowNumber', { value: odd.slice(0, 64) }) })
  }
  const work = async (tx: Tx) => {
    const report = reportOf(await settle(tx, addition, editor), actor.language)
    // One invalid row rolls back the whole request, so no row has succeeded.
    return addition.atomic ? refuseFailed(report, { ...report, success: [], hosts: {} }) : report
  }
  return refuseFailed(await unlessOvertaken(() => storage.change(actor, work, { bulk: count > 20 })))
}

async function settle(
  tx: Tx,
  { bizId, moduleIds, rows }: Addition,
  editor: Editor,
): Promise<Map<string, HostRowResult>> {
  const business =
    bizId === undefined
      ? (await findPool(tx, tx.actor.account)).node
      : await joinBusiness(tx, bizId, () => problem('unknown', { field: 'bk_biz_id' }))
  const spots = moduleIds && (await spotsToEnter(tx, business, moduleIds))
  const sent = Object.entries(rows).map(([number, attributes]) => ({ number, sent: attributes, spots }))
  return matchRows(tx, business, sent, editor)
}

function reportOf(fates: ReadonlyMap<string, HostRowResult>, language: Language): AddReport {
  const report: AddReport = { success: [], error: [], update_error: [], hosts: {} }
  for (const [number, fate] of fates) {
    if (fate.outcome === 'failed') {
      report[fate.known ? 'update_error' : 'error'].push(`${number}: ${fate.problem.text(language)}`)
    } else {
      report.success.push(number)
      report.hosts[number] = fate.hostId
    }
  }
  report.success.sort((a, b) => Number(a) - Number(b))
  return report
}

function refuseFailed(report: AddReport, data = report): AddReport {
  const failed = [...report.error, ...report.update_error]
  const more = failed.length > 1 ? ` (+${failed.length - 1})` : ''
  if (failed.length > 0) throw problem('hostNotCreated', { why: failed[0] + more, data })
  return report
}
