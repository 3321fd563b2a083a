// Differences between two moments, printed like those of a version control.
import { styleText } from 'node:util'
import { type DataOf, history } from '@mainline/contract'
import { businessCalled } from '../arguments/business.ts'
import type { Given } from '../arguments/flags.ts'
import { instanceIn, routeText } from '../arguments/instance.ts'
import { localTime } from '../arguments/moment.ts'
import { exitCodes, misused } from '../arguments/usage.ts'
import { type Connection, connect } from '../connection/connection.ts'
import { brief, visible } from '../output/cells.ts'
import { type Output, outputTo } from '../output/output.ts'
import { findQuery } from './query.ts'

type Diff = DataOf<typeof history.getDiff>
type Row = Diff['info'][number]
type DiffLine = Pick<Diff, 'from' | 'to'> | Pick<Diff, 'counts'> | Row

export async function diffCommand(given: Given): Promise<void> {
  const instance = instanceIn(given, 'diff')
  const [from, to] = [given.value('from'), given.value('to')]
  if (from === undefined)
    throw misused('The earlier moment is missing: --from -1d, --from 2026-01-31 or --from position:N.')
  const [business, query] = [given.value('biz') ?? given.value('business'), given.value('query')]
  if ((business === undefined && query === undefined) === (instance === undefined)) {
    throw misused(
      "Name a business, a query or an instance: 'mainline diff --biz NAME', 'mainline diff --biz NAME --query NAME' or 'mainline diff set 12'.",
    )
  }
  const connection = await connect(given)
  const subject = instance ?? (await subjectOf(connection, business, query))
  const body = { ...subject, from, ...(to !== undefined && { to }) }
  const output = outputTo()
  const differs = await printDiff(connection, body, given.value('output') === 'json', output)
  await output.flush()
  if (differs) process.exitCode = exitCodes.refused
}

/** A query is found by its name in a business, or anywhere by its id. */
async function subjectOf(connection: Connection, called: string | undefined, query: string | undefined) {
  if (called === undefined) return { query_id: query ?? '' }
  const business = await businessCalled(connection, called)
  return query === undefined ? { bk_biz_id: business } : { query_id: (await findQuery(connection, business, query)).id }
}

async function printDiff(
  { client }: Connection,
  body: { from: string; to?: string },
  isJson: boolean,
  output: Output,
): Promise<boolean> {
  let differs = false
  for await (const line of client.lines(history.getDiff, { body })) {
    const each = line as DiffLine
    if ('change' in each) differs = true
    if (isJson) await output.write(`${JSON.stringify(each)}\n`)
    else for (const text of textOfLine(each, output)) await output.write(`${text}\n`)
  }
  return differs
}

const changeSigns = { created: '+', deleted: '-', changed: '~', moved: '>' } as const
const colours = { created: 'green', deleted: 'red', changed: 'cyan', moved: 'cyan' } as const

function textOfLine(line: DiffLine, { stream }: Output): string[] {
  const coloured = (colour: 'green' | 'red' | 'cyan' | 'bold', text: string) => styleText(colour, text, { stream })
  if ('counts' in line) return []
  if (!('change' in line)) {
    const moment = ({ position, time }: Diff['from']) => `${localTime(Date.parse(time))} (position ${position})`
    return [coloured('bold', `--- ${moment(line.from)}`), coloured('bold', `+++ ${moment(line.to)}`)]
  }
  const { change, bk_obj_id, bk_inst_id, name, fields, left, entered } = line
  const route = left.length + entered.length > 0 ? `: ${routeText(left, entered)}` : ''
  const title = visible(`${changeSigns[change]} ${name} (${bk_obj_id} ${bk_inst_id})${route}`)
  const by = (row: Pick<Row, 'position' | 'operator' | 'op_time' | 'op_reason'>) =>
    row.position === null
      ? ''
      : visible(
          `  (${row.operator}, ${localTime(Date.parse(row.op_time))}${row.op_reason ? `: ${row.op_reason}` : ''})`,
        )
  return [
    coloured(colours[change], title) + by(line),
    ...fields.flatMap((field) => [
      coloured('red', `-   ${visible(field.bk_property_id)}: ${brief(field.before)}`),
      coloured('green', `+   ${visible(field.bk_property_id)}: ${brief(field.after)}`) + by(field),
    ]),
  ]
}
