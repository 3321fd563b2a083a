import { type DataOf, history } from '@mainline/contract'
import type { Given } from '../arguments/flags.ts'
import { type NamedInstance, neededInstance, routeText } from '../arguments/instance.ts'
import { localTime } from '../arguments/moment.ts'
import { wholeNumber } from '../arguments/usage.ts'
import { type Connection, connect } from '../connection/connection.ts'
import { changeText, padded, visible } from '../output/cells.ts'
import { outputTo } from '../output/output.ts'
import { firstOf } from './get.ts'

type Version = DataOf<typeof history.getInstanceHistory>['info'][number]

const pageSize = 200

export async function historyCommand(given: Given): Promise<void> {
  const instance = neededInstance(given, 'history')
  const limit = wholeNumber(given, 'limit', 1)
  const connection = await connect(given)
  const output = outputTo()
  const show = given.value('output') === 'json' ? (version: Version) => JSON.stringify(version) : versionLine
  for await (const version of firstOf(versionsOf(connection, instance, given), limit)) {
    await output.write(`${show(version)}\n`)
  }
  await output.flush()
}

/** Pages up to the newest version at the beginning: later ones would shift the pages. */
async function* versionsOf({ client }: Connection, instance: NamedInstance, given: Given): AsyncGenerator<Version> {
  const [from, to] = [given.value('from'), given.value('to')]
  let upTo = to
  for (let start = 0, more = true; more; start += pageSize) {
    const query = {
      start,
      limit: pageSize,
      ...(given.has('below') && { below: true }),
      ...(from !== undefined && { from }),
      ...(upTo !== undefined && { to: upTo }),
    }
    const { count, info } = await client.call(history.getInstanceHistory, { params: instance, query })
    yield* info
    const [newest] = info
    if (start === 0 && newest) upTo = `position:${newest.position}`
    more = start + pageSize < count
  }
}

function versionLine(version: Version): string {
  const { op_time, operator, op_desc, name, bk_obj_id, bk_inst_id, changes, moved, op_reason, position } = version
  const parts = [
    localTime(Date.parse(op_time)),
    padded(visible(operator), 10),
    padded(visible(op_desc), 14),
    visible(`${name} (${bk_obj_id} ${bk_inst_id})`),
    ...(moved ? [visible(routeText(moved.left, moved.entered))] : []),
    ...changes.map((each) => changeText(each.bk_property_id, each.before, each.after)),
    ...(op_reason ? [`reason: ${visible(op_reason)}`] : []),
    `position ${position}`,
  ]
  return parts.join('  ')
}
