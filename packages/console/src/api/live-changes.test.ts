import { expect, it } from 'vitest'
import { changeBy, concerns } from './live-changes.ts'

const keyOf = (area: string, operation: string, asked: object) => [area, operation, asked, 'en', '']
const tree = keyOf('Topology', 'get_inst_topo', { params: { bk_supplier_account: '0', bk_biz_id: 2 } })
const counts = keyOf('Topology', 'get_topo_host_count', { params: { bk_supplier_account: '0', bk_biz_id: 2 } })
const everyHost = keyOf('Hosts', 'search_host', { body: { condition: [] } })
const hostsOfThree = keyOf('Hosts', 'search_host', { body: { bk_biz_id: 3 } })
const model = keyOf('Model', 'search_attribute', {})

it('refetches only what an event of another user may have changed', () => {
  const after = (bk_resource: string, bk_detail: Record<string, unknown>) =>
    [tree, counts, everyHost, hostsOfThree, model].filter((key) =>
      concerns(changeBy({ bk_resource, bk_detail }, 0), key),
    )
  expect(after('set', { bk_biz_id: 2 })).toEqual([tree, counts, everyHost])
  expect(after('host_relation', { bk_biz_id: 2 })).toEqual([counts, everyHost])
  expect(after('host', { bk_host_id: 7 })).toEqual([everyHost, hostsOfThree])
  expect(after('history', {})).toHaveLength(5)
})
