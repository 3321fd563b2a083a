import Type from 'typebox'
import { anyone } from './allow.ts'
import { demo } from './demo.ts'
import { endpoint } from './endpoint.ts'
import { AttributeValue, Id, Text } from './vocabulary.ts'

/** Maximum number of hosts of a query for an export. */
export const mostHandedOn = 100_000
export const usualPort = 9100

const one = { bk_biz_id: Id, id: Text }
const example = { params: { bk_biz_id: demo.business, id: demo.queries[0] } }

export const prometheusTargets = endpoint({
  name: 'get_prometheus_targets',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/integrations/prometheus/:bk_biz_id/:id',
  area: 'Integrations',
  summary: `The hosts of a saved query as HTTP service discovery of Prometheus (http_sd_configs); at most ${mostHandedOn}.`,
  allow: anyone,
  params: one,
  query: { port: `the port of the targets; ${usualPort} when left out` },
  bare: 'application/json',
  etag: true,
  refuses: ['unknown', 'tooMany', 'filterMissing'],
  data: Type.Array(
    Type.Object({
      targets: Type.Array(Type.String(), { description: 'the first inner address and the port' }),
      labels: Type.Record(Type.String(), Type.String(), {
        description: '__meta_mainline_...; empty values are omitted',
      }),
    }),
  ),
  example,
})

/** Text is marked as unsafe, so that Ansible never evaluates a template in it. */
const UnsafeText = Type.Object({ __ansible_unsafe: Type.String({ description: 'the text itself' }) })
const HostVariables = Type.Record(Type.String(), Type.Union([AttributeValue, UnsafeText]))

export const ansibleInventory = endpoint({
  name: 'get_ansible_inventory',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/integrations/ansible/:bk_biz_id/:id',
  area: 'Integrations',
  summary: `The hosts of a saved query as an inventory script of Ansible prints it for --list: groups set_... and module_...; at most ${mostHandedOn}.`,
  allow: anyone,
  params: one,
  bare: 'application/json',
  etag: true,
  refuses: ['unknown', 'tooMany', 'filterMissing'],
  data: Type.Object(
    { _meta: Type.Object({ hostvars: Type.Record(Type.String(), HostVariables) }) },
    {
      additionalProperties: Type.Partial(
        Type.Object({ hosts: Type.Array(Type.String()), children: Type.Array(Type.String()) }),
      ),
    },
  ),
  example,
})

export const queryCsv = endpoint({
  name: 'get_query_csv',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/integrations/csv/:bk_biz_id/:id',
  area: 'Integrations',
  summary: `The hosts of a saved query as CSV (RFC 4180), one column for each attribute it shows; at most ${mostHandedOn}.`,
  allow: anyone,
  params: one,
  bare: 'text/csv',
  etag: true,
  refuses: ['unknown', 'tooMany', 'filterMissing'],
  data: Type.String(),
  example,
})
