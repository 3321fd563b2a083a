import { Failure } from '@mainline/client'
import { type BodyOf, type DataOf, history } from '@mainline/contract'
import { Refusal } from '../../common/refusal.ts'
import type { Given } from '../arguments/flags.ts'
import { localTime } from '../arguments/moment.ts'
import { exitCodes, listOf, misused, oneOf, wordsOf } from '../arguments/usage.ts'
import { connect } from '../connection/connection.ts'
import { brief, padded, visible } from '../output/cells.ts'
import { type Output, outputTo } from '../output/output.ts'

type Result = DataOf<typeof history.undo>

export async function undoCommand(given: Given): Promise<void> {
  wordsOf(given, 'undo', 0)
  const body = requestOf(given)
  const isDry = given.has('dry-run')
  const reason = given.value('reason')
  const { client } = await connect(given)
  const output = outputTo()
  const isJson = given.value('output') === 'json'
  try {
    const query = isDry ? { query: { dry_run: true } } : {}
    const result = await client.call(history.undo, { body, ...query, ...(reason !== undefined && { reason }) })
    await printUndo(output, result, isJson, isDry)
    // A plan with conflicts would be refused.
    if (isDry && result.conflict > 0 && body.on_conflict !== 'skip') process.exitCode = exitCodes.refused
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'undoConflict') throw error
    await printUndo(output, error.data as Result, isJson, true)
    throw new Refusal(`${error.text}.`, exitCodes.refused)
  }
}

function requestOf(given: Given): BodyOf<typeof history.undo> {
  const [request_id, txn_id, listed] = [given.value('request'), given.value('txn'), given.value('position')]
  if ([request_id, txn_id, listed].filter((each) => each !== undefined).length !== 1) {
    throw misused('Say what to undo: exactly one of --request ID, --txn ID and --position N,N.')
  }
  const wrong = listOf(listed)?.find((each) => !/^[1-9]\d{0,15}$/.test(each))
  if (wrong !== undefined) throw misused(`--position: '${wrong}' is not a position, which is a number such as 141.`)
  const on_conflict = oneOf(given, 'on-conflict', ['skip', 'force']) as 'skip' | 'force' | undefined
  return {
    ...(request_id !== undefined && { request_id }),
    ...(txn_id !== undefined && { txn_id }),
    ...(listed !== undefined && { positions: listOf(listed)?.map(Number) ?? [] }),
    ...(on_conflict && { on_conflict }),
  }
}

async function printUndo(output: Output, result: Result, isJson: boolean, isPlan: boolean): Promise<void> {
  if (isJson) {
    await output.write(`${JSON.stringify(result, null, 2)}\n`)
    return output.flush()
  }
  for (const { position, op_desc, name, bk_obj_id, bk_inst_id, outcome, conflicts } of result.records) {
    const what = visible(`${op_desc}  ${name} (${bk_obj_id} ${bk_inst_id})`)
    await output.write(`${padded(isPlan && outcome === 'undone' ? 'to undo' : outcome, 8)}  ${position}  ${what}\n`)
    for (const { field, now, before, why, since } of conflicts) {
      const values = field ? `${field}: now ${brief(now)}, would become ${brief(before)}; ` : ''
      const by = since
        ? `; since ${since.operator}, ${localTime(Date.parse(since.op_time))}, position ${since.position}`
        : ''
      await output.write(`          ${visible(values + why + by)}\n`)
    }
  }
  const done = isPlan ? 'to undo' : 'undone'
  await output.write(`${result.undone} ${done}, ${result.already} already undone, ${result.conflict} in conflict\n`)
  await output.flush()
}
