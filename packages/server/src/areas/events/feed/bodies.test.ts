import { describe, expect, it } from 'vitest'
import { zoneOf } from '../../../common/time.ts'
import type { Emitted, LogRecord, Snapshot } from '../../../storage/index.ts'
import { bodyOf, completed, eventsOf } from './bodies.ts'

const recorded = (
  content: { pre: Snapshot | null; cur: Snapshot | null },
  events: Emitted[],
  more: Partial<LogRecord> = {},
): LogRecord => ({
  ticket: 7,
  position: 7,
  txn_id: 't1',
  ordinal: 0,
  account: '0',
  biz_id: 2,
  object_id: 'host',
  inst_id: 5,
  operation: 2,
  description: '',
  operator: 'amy',
  op_time: 1_000,
  ext_key: '',
  request_id: 'r1',
  content: JSON.stringify(content),
  events: JSON.stringify(events),
  revision: 3,
  reason: '',
  ...more,
})

describe('the events of a record', () => {
  it('describe its instance, unless they have their own data', () => {
    const built = { bk_set_id: 9, bk_set_name: 'idle pool' }
    const record = recorded({ pre: null, cur: { bk_biz_id: 2 } }, [
      { name: 'bizcreate' },
      { name: 'setcreate', before: null, after: built },
    ])
    expect(eventsOf(record)).toMatchObject([
      {
        name: 'bizcreate',
        objType: 'biz',
        action: 'create',
        index: 0,
        data: [{ cur_data: { bk_biz_id: 2 }, pre_data: null }],
      },
      { name: 'setcreate', objType: 'set', action: 'create', index: 1, data: [{ cur_data: built, pre_data: null }] },
    ])
    expect(eventsOf(record)).toBe(eventsOf(record))
  })

  it('distinguish objects whose names end like actions', () => {
    const record = recorded({ pre: { bk_inst_id: 1 }, cur: null }, [{ name: 'lastupdatedelete' }])
    expect(eventsOf(record)).toMatchObject([{ objType: 'lastupdate', action: 'delete' }])
  })

  it('of a move are one per module joined or left, in the module’s business, and an identity in the joined business', () => {
    const ids = (bk_biz_id: number, bk_module_id: number) => ({
      bk_biz_id,
      bk_set_id: 3,
      bk_module_id,
      bk_host_id: 5,
      bk_supplier_account: '0',
    })
    const record = recorded({ pre: { bk_host_id: 5 }, cur: { bk_host_id: 5 } }, [
      { name: 'moduletransfer', before: ids(1, 1), after: null },
      { name: 'moduletransfer', before: null, after: ids(2, 8) },
    ])
    const move = { name: 'moduletransfer', objType: 'moduletransfer', eventType: 'relation' }
    expect(eventsOf(record)).toMatchObject([
      { ...move, action: 'delete', businessId: 1, data: [{ cur_data: null, pre_data: ids(1, 1) }] },
      { ...move, action: 'create', businessId: 2, data: [{ cur_data: ids(2, 8), pre_data: null }] },
      { name: 'hostidentifier', eventType: 'instdata', action: 'update', businessId: 2, index: 2, host: 5 },
    ])
  })

  it('can be none', () => {
    expect(eventsOf(recorded({ pre: null, cur: {} }, []))).toEqual([])
  })
})

describe('a host’s identity', () => {
  const created = eventsOf(recorded({ pre: null, cur: { bk_host_id: 5 } }, [{ name: 'hostcreate' }]))
  const deleted = eventsOf(recorded({ pre: { bk_host_id: 5 }, cur: null }, [{ name: 'hostdelete' }]))

  it('is sent once for a new host, and not for a deleted one', () => {
    expect(created.map((event) => event.name)).toEqual(['hostcreate', 'hostidentifier'])
    expect(deleted.map((event) => event.name)).toEqual(['hostdelete'])
  })

  it('is that of the time of sending; nothing is sent if the host was deleted', async () => {
    const [plain, derived] = created as [(typeof created)[0], (typeof created)[0]]
    const hostsNamedBy = async () => []
    const known = {
      identityOf: async (account: string, host: number) => ({
        identity: { bk_host_id: host, where: account, associations: {} },
        revision: 9,
      }),
      hostsNamedBy,
    }
    expect(await completed(plain, known)).toBe(plain)
    expect(await completed(derived, known)).toMatchObject({
      action: 'create',
      revision: 9,
      data: [{ cur_data: { bk_host_id: 5, where: '0' }, pre_data: null }],
    })
    expect(await completed(derived, { identityOf: async () => null, hostsNamedBy })).toBeUndefined()
    expect(await completed(derived, undefined)).toBeUndefined()
  })
})

it('the body has the field names of the contract', () => {
  const [event] = eventsOf(recorded({ pre: null, cur: { bk_host_id: 5 } }, [{ name: 'hostcreate' }]))
  expect(bodyOf(event as never, zoneOf('UTC'))).toEqual({
    event_type: 'instdata',
    action: 'create',
    action_time: '1970-01-01T00:00:01.000+00:00',
    obj_type: 'host',
    data: [{ cur_data: { bk_host_id: 5 }, pre_data: null }],
    bk_supplier_account: '0',
    request_id: 'r1',
    request_time: '1970-01-01T00:00:01.000+00:00',
    txn_id: 't1',
    revision: 3,
    position: 7,
  })
})
