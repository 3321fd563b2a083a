import { type history, problem, type Rule, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Caller } from '../../../http/route.ts'
import type { Storage, Tx } from '../../../storage/index.ts'
import { phrase } from '../../audit/index.ts'
import { modelIn } from '../../model/index.ts'
import { auditable, type MissingGrant } from '../../privileges/index.ts'
import { findPool } from '../../topology/index.ts'
import { nameIn } from '../recorded/index.ts'
import { applyNet } from './apply.ts'
import { structuralFaults } from './faults/index.ts'
import { holdRows } from './hold.ts'
import { restOfLevels } from './levels.ts'
import { type NetChanges, netOf } from './net.ts'
import { type Conflict, type Outcome, planRecord, Rows, rowId, type UndoableRecord } from './plan.ts'
import { requestsToTake, requestsToUndo } from './privileges.ts'
import { selectRecords, type UndoRequest } from './select.ts'
import { changedSince, maxExplained, type Since } from './since.ts'
import { unhurried } from './unhurried.ts'

export interface Undoing {
  readonly zone: Zone
  readonly admins: readonly string[]
  readonly lacks: MissingGrant
}

/** One transaction. A dry run does everything but commit. */
export async function undo(
  storage: Storage,
  actor: Caller,
  asked: UndoRequest,
  { isDry, ...how }: Undoing & { readonly isDry: boolean },
): Promise<history.UndoResult> {
  const records = await selectRecords(storage.heavy, actor.account, asked)
  refuseUnreadable(records, actor, await auditable(storage, how.admins, actor))
  const onConflict = asked.on_conflict ?? 'refuse'
  const work = async (tx: Tx) => {
    // Before anything is locked, and again with the locks held: hosts may have moved to another business.
    await refuseDenied(tx, records, how.lacks)
    const held = await holdRows(tx, records)
    await refuseDenied(tx, records, how.lacks)
    const { outcomes, net } = await settle(tx, held, records, onConflict)
    await refuseDenied(tx, records, how.lacks, net)
    const result = await shown(tx, outcomes, actor, how)
    if (result.conflict > 0 && onConflict !== 'skip') {
      if (isDry) return result
      throw problem('undoConflict', { count: result.conflict, data: result })
    }
    await applyNet(tx, net, { language: actor.language, zone: how.zone })
    return result
  }
  if (isDry) return storage.rehearse(actor, (rehearsal) => rehearsal.change(work))
  return storage.change(actor, work, { bulk: records.length > 20 })
}

/** As in the audit log; one's own changes besides. */
function refuseUnreadable(
  records: readonly UndoableRecord[],
  { user }: Caller,
  businesses: readonly number[] | undefined,
): void {
  const readable = businesses && new Set(businesses)
  const hidden = records.find(
    ({ record }) => readable && !readable.has(record.biz_id) && record.operator !== user,
  )?.record
  if (!hidden) return
  const { position, biz_id: business } = hidden
  throw problem('denied', { why: rule('auditOfBusiness', { position, business, entry: 'audit', user }) })
}

/** With the rows that will be written: what the records do not tell about these. */
async function refuseDenied(
  tx: Tx,
  records: readonly UndoableRecord[],
  lacks: MissingGrant,
  net?: NetChanges,
): Promise<void> {
  const { bizId: pool } = await findPool(tx, tx.actor.account)
  for (const asked of net ? requestsToTake(records, net, pool) : requestsToUndo(records, pool)) {
    const why: Rule | undefined = await lacks(tx, asked)
    if (why) throw problem('denied', { why })
  }
}

/** Plans until nothing is left that the present forbids: a record that cannot be undone may have been the ground for another one. */
async function settle(tx: Tx, held: Rows, records: readonly UndoableRecord[], onConflict: 'refuse' | 'skip' | 'force') {
  const model = await modelIn(tx)
  const excluded = new Map<number, readonly Conflict[]>()
  for (;;) {
    const rows = new Rows(held.now)
    const outcomes: Outcome[] = []
    const how = { force: onConflict === 'force', excluded }
    await unhurried(tx, records, (each) => void outcomes.push(planRecord(each, rows, how)))
    const net = await netOf(tx, rows, records, outcomes)
    const faults = await structuralFaults(tx, model, net)
    const found = excludedBy(faults, records, outcomes)
    const rest = restOfLevels(records, outcomes)
    if (found.size + rest.size === 0) return { outcomes, net }
    for (const [position, conflicts] of [...rest, ...found]) excluded.set(position, conflicts)
  }
}

/** The undone records that a fault is about. */
function excludedBy(faults: readonly Conflict[], records: readonly UndoableRecord[], outcomes: readonly Outcome[]) {
  const byRow = Map.groupBy(faults, ({ row }) => rowId(row))
  const undone = new Set(outcomes.flatMap(({ record, outcome }) => (outcome === 'undone' ? [record.position] : [])))
  const found = new Map<number, Conflict[]>()
  if (faults.length === 0) return found
  for (const { record, changes } of records) {
    const own = changes.flatMap((change) => byRow.get(rowId(change)) ?? [])
    if (own.length > 0 && undone.has(record.position)) found.set(record.position, own)
  }
  if (found.size === 0) throw new Error(`nothing that is undone is about ${JSON.stringify(faults[0])}`)
  return found
}

async function shown(
  tx: Tx,
  outcomes: readonly Outcome[],
  { language }: Caller,
  { zone }: Undoing,
): Promise<history.UndoResult> {
  let explained = 0
  const records: history.UndoneRecord[] = []
  await unhurried(tx, outcomes, ({ record, outcome }) => {
    records.push({
      position: record.position,
      bk_obj_id: record.object_id,
      bk_inst_id: record.inst_id,
      name: nameIn(record),
      op_type: record.operation,
      op_desc: phrase(record.description, language),
      outcome,
      conflicts: [],
    })
  })
  for (const [index, { record, conflicts }] of outcomes.entries()) {
    for (const conflict of conflicts) {
      const since = explained++ < maxExplained ? await changedSince(tx, record, conflict) : undefined
      records[index]?.conflicts.push({
        field: conflict.field.replace(/^attributes\./, ''),
        now: conflict.now ?? null,
        set_to: conflict.setTo ?? null,
        before: conflict.before ?? null,
        why: conflict.why[language === 'en' ? 0 : 1],
        forcible: conflict.forcible,
        since: since ? by(since, zone) : null,
      })
    }
  }
  const count = (which: Outcome['outcome']) => outcomes.filter(({ outcome }) => outcome === which).length
  return { undone: count('undone'), already: count('already'), conflict: count('conflict'), records }
}

const by = ({ position, operator, op_time, request_id, reason }: Since, zone: Zone) => ({
  position,
  operator,
  op_time: zone.write(op_time),
  request_id,
  op_reason: reason,
})
