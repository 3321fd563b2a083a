import { Account, anyone, endpoint, Found, Id } from '@mainline/contract'
import Type from 'typebox'
import { handle, type Route } from '../http/route.ts'

const searchProcess = endpoint({
  name: 'search_process',
  method: 'POST',
  effect: 'read',
  path: '/proc/search/:bk_supplier_account/:bk_biz_id',
  area: 'Instances',
  summary: 'The processes of a business. Mainline keeps none: the answer is that of an installation without processes.',
  allow: anyone,
  params: { bk_supplier_account: Account, bk_biz_id: Id },
  body: Type.Object({}, { additionalProperties: true }),
  data: Found(Type.Object({})),
  example: { params: { bk_supplier_account: '0', bk_biz_id: 2 }, body: {} },
})

/** What the process page of the 3.2 interface asks for before there is a process. */
export const processRoutes: Route[] = [handle(searchProcess, async () => ({ count: 0, info: [] }))]
