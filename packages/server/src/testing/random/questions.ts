// Requests that read the estate, of every kind that can be answered as of a moment of the past.
import { readLive } from '../../areas/history/recorded/index.ts'
import type { TestServer } from '../harness.ts'

export interface ReadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

const get = (path: string): ReadRequest => ({ method: 'GET', path })
const post = (path: string, body: unknown = {}): ReadRequest => ({ method: 'POST', path, body })
const page = { start: 0, limit: 200 }

const aboutBusiness = (biz: number): ReadRequest[] => [
  get(`/topo/inst/0/${biz}?with_default=true`),
  get(`/topo/internal/0/${biz}`),
  get(`/topo/hostcount/0/${biz}`),
  post(`/set/search/0/${biz}`, { page: { ...page, sort: '-bk_set_name' }, condition: {} }),
  post(`/userapi/search/${biz}`, { condition: {} }),
  get(`/export/topology/${biz}`),
  get(`/export/hosts/${biz}`),
  post('/hosts/search', {
    bk_biz_id: biz,
    page,
    condition: [
      { bk_obj_id: 'set', fields: [], condition: [] },
      { bk_obj_id: 'module', fields: [], condition: [{ field: 'default', operator: '$eq', value: 0 }] },
    ],
  }),
  post(`/userapi/preview/${biz}`, {
    info: { condition: [{ bk_obj_id: 'host', fields: ['bk_host_id', 'bk_sn'], condition: [] }] },
  }),
]

const aboutRack = (rack: number): ReadRequest[] => [
  get(`/impact/rack/${rack}`),
  post('/inst/association/related/action/search', { condition: { bk_obj_id: 'rack', bk_inst_id: rack } }),
  post(`/inst/association/topo/search/owner/0/object/rack/inst/${rack}`),
]

const aboutQuery = (biz: number, id: string): ReadRequest[] => [
  get(`/userapi/detail/${biz}/${id}`),
  get(`/userapi/data/${biz}/${id}/0/200`),
  get(`/integrations/csv/${biz}/${id}`),
  get(`/integrations/prometheus/${biz}/${id}`),
  get(`/integrations/ansible/${biz}/${id}`),
]

const aboutAll: ReadRequest[] = [
  get('/topo/model/0'),
  get('/topo/hostcount/0'),
  get('/export/estate/0'),
  post('/topo/node/search/0', { name: 'a', page: { start: 0, limit: 50 } }),
  post('/biz/search/0', { page, condition: {} }),
  post('/biz/default/0/search'),
  post('/userapi/find/0', { name: 'a', page: { start: 0, limit: 50 } }),
  post('/biz/search/0', { page, condition: { bk_data_status: 'disabled' } }),
  post('/inst/search/owner/0/object/rack', { page, condition: {} }),
  post('/inst/search/owner/0/object/plat', { page, condition: {} }),
  post('/hosts/search', { page, condition: [{ bk_obj_id: 'biz', fields: [], condition: [] }] }),
  post('/hosts/search', {
    page,
    ip: { data: ['10.1.'], exact: 0, flag: 'bk_host_innerip' },
    condition: [
      { bk_obj_id: 'host', fields: [], condition: [{ field: 'bk_comment', operator: '$regex', value: 'e' }] },
    ],
  }),
  post('/object/classifications'),
  post('/object/classification/0/objects'),
  post('/objects'),
  ...['set', 'host', 'biz', 'rack', 'zone'].flatMap((object) => [
    post('/object/attr/search', { bk_obj_id: object }),
    post(`/objectatt/group/property/owner/0/object/${object}`),
  ]),
  post('/topo/privilege/group/0/search'),
  get('/topo/privilege/0/biz/bk_biz_maintainer'),
  get('/topo/privilege/0/biz/guests'),
  get('/topo/privilege/user/detail/0/amy'),
  get('/topo/privilege/user/detail/0/bob'),
  get('/topo/privilege/explain/0/amy?operation=search_inst&bk_supplier_account=0&bk_obj_id=rack'),
  post('/topo/association/type/action/search'),
  post('/object/association/action/search'),
  post('/topo/association/type/action/search/batch', { asst_ids: ['connect', 'default'] }),
  post('/inst/association/action/search', { condition: { bk_obj_id: 'rack' } }),
  post('/inst/association/search/owner/0/object/rack', {
    condition: { set: [{ field: 'bk_set_name', operator: '$regex', value: 'a' }] },
  }),
]

/** Requests about everything that is stored now. */
export async function questionsAbout(server: TestServer): Promise<ReadRequest[]> {
  const { read } = server.service.storage
  const nodes = [...(await readLive(read, '0', 'node')).values()]
  const of = (object: string) => nodes.filter((node) => node.object_id === object)
  const hosts = [...(await readLive(read, '0', 'host')).values()]
  const queries = [...(await readLive(read, '0', 'custom_query')).values()]
  const groups = [...(await readLive(read, '0', 'user_group')).values()]
  return [
    ...aboutAll,
    ...of('biz').flatMap((node) => aboutBusiness(Number(node.inst_id))),
    ...of('set')
      .slice(0, 3)
      .flatMap((set) => [
        post(`/module/search/0/${set.biz_id}/${set.inst_id}`, { page, condition: {} }),
        get(`/topo/inst/child/0/set/${set.biz_id}/${set.inst_id}`),
      ]),
    ...of('rack').flatMap((rack) => aboutRack(Number(rack.inst_id))),
    ...hosts.slice(0, 3).flatMap((host) => [
      get(`/hosts/0/${host.host_id}`),
      post('/hosts/search', {
        page,
        ip: { data: [String(host.inner_ip).split(',')[0]], exact: 1, flag: 'bk_host_innerip' },
      }),
    ]),
    ...queries.slice(0, 3).flatMap(({ biz_id, id }) => aboutQuery(Number(biz_id), String(id))),
    ...groups.slice(0, 2).map((group) => get(`/topo/privilege/group/detail/0/${group.group_id}`)),
  ]
}

/** The answer without what differs between two equal ones. */
export async function answerOf(
  { url }: TestServer,
  { method, path, body }: ReadRequest,
  asOf?: string,
): Promise<unknown> {
  const moment = asOf === undefined ? '' : `${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(asOf)}`
  const answer = await fetch(`${url}/api/v3${path}${moment}`, {
    method,
    ...(method === 'POST' && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  const lines = () =>
    text
      .split('\n')
      .map((line) => (line === '' ? null : JSON.parse(line)))
      .filter((line) => !isUnrecorded(line))
  const read = type.startsWith('application/json')
    ? JSON.parse(text)
    : { data: type.includes('ndjson') ? lines() : text }
  const { request_id: _, ...rest } = read
  // An index that was being filled then is not recorded.
  return JSON.parse(JSON.stringify({ status: answer.status, ...rest }).replaceAll('"filling"', '"ready"'))
}

/**
 * Lines of an export that are not recorded: a role without privileges is the same as one that was never bound, and a unique rule is exported
 * once existing instances have been checked, which happens in the background.
 */
const isUnrecorded = (line: { is?: string; privileges?: readonly string[] } | null) =>
  line?.is === 'unique' || (line?.is === 'role' && line.privileges?.length === 0)
