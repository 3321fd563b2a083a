import { history } from '@mainline/contract'
import type { Given } from '../arguments/flags.ts'
import { neededInstance } from '../arguments/instance.ts'
import { connect } from '../connection/connection.ts'
import { showRows } from '../output/formats.ts'

const columns = ['bk_property_id', 'value', 'operator', 'op_time', 'op_reason', 'request_id', 'position']

export async function blameCommand(given: Given): Promise<void> {
  const params = neededInstance(given, 'blame')
  const { client } = await connect(given)
  const rows = await client.call(history.getBlame, { params })
  async function* each() {
    yield* rows
  }
  await showRows(given.value('output') ?? 'table', each(), { columns, chosen: false, what: 'values' })
}
