// Associations through the API.
import type { associations } from '@mainline/contract'
import type { Answer, TestServer } from '../harness.ts'

type Server = Pick<TestServer, 'call'>
type Attributes = Readonly<Record<string, unknown>>

/** Allows associations between instances of two objects. */
export async function declare(
  server: Server,
  source: string,
  target: string,
  more: Attributes = {},
): Promise<associations.ObjectAssociationRecord> {
  const body = { bk_obj_id: source, bk_asst_obj_id: target, bk_asst_id: 'connect', ...more }
  const made = await server.call<associations.ObjectAssociationRecord>(
    'POST',
    '/object/association/action/create',
    body,
  )
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return made.data
}

export const associate = (
  server: Server,
  association: string,
  source: number,
  target: number,
  headers: Record<string, string> = {},
): Promise<Answer<associations.InstanceAssociationRecord>> => {
  const body = { bk_obj_asst_id: association, bk_inst_id: source, bk_asst_inst_id: target }
  return server.call('POST', '/inst/association/action/create', body, headers)
}

/** The ids of both ends of all associations that match a condition. */
export async function pairs(server: Server, condition: Attributes = {}): Promise<[number, number][]> {
  const path = '/inst/association/action/search'
  const found = await server.call<associations.InstanceAssociationRecord[]>('POST', path, { condition })
  if (!found.result) throw new Error(found.bk_error_msg ?? '')
  return found.data.map((each) => [each.bk_inst_id, each.bk_asst_inst_id])
}

export async function makeInstance(server: Server, object: string, name: string, more: Attributes = {}) {
  const body = { [object === 'plat' ? 'bk_cloud_name' : 'bk_inst_name']: name, ...more }
  const made = await server.call<{ bk_inst_id: number }>('POST', `/inst/0/${object}`, body)
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return made.data.bk_inst_id
}
