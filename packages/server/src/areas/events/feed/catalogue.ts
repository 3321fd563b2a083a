import type { Language } from '@mainline/contract'
import { isKeyOf } from '../../../common/keys.ts'
import type { Zone } from '../../../common/time.ts'
import { shownFields } from '../../../condition/condition.ts'
import type { Snapshot } from '../../../storage/index.ts'
import { type Model, type ObjectModel, objectName, objectOf } from '../../model/index.ts'
import { fieldsOf } from '../../topology/index.ts'
import { bodyOf } from './bodies.ts'
import type { Difference } from './event.ts'
import {
  actions,
  association,
  type EventAction,
  followed,
  identity,
  isRelation,
  moved,
  queryEvent,
  reset,
} from './names.ts'
import { resourceOf } from './resources.ts'

/** The time of sample events. */
const then = Date.UTC(2026, 0, 31, 8)

/** Every event that can be subscribed to, with a sample body. */
export function catalogue(model: Model, language: Language, zone: Zone) {
  const entry = (objType: string, object: ObjectModel, action: EventAction, data: Difference) => ({
    bk_resource: resourceOf(objType),
    bk_obj_id: object.id,
    bk_obj_name: objectName(object, language),
    sample: sampleBody(model.account, objType, action, data, zone),
  })
  const host = objectOf(model, 'host')
  return [
    ...followed(model).flatMap((id) => {
      const object = objectOf(model, id)
      const record = sampleRecord(object, model.account, zone)
      return actions.map((action) => ({
        event_name: id + action,
        ...entry(id, object, action, difference(action, record)),
      }))
    }),
    { event_name: moved, ...entry(moved, host, 'create', difference('create', sampleMove(model.account))) },
    { event_name: identity, ...entry(identity, host, 'update', difference('create', sampleIdentity(model.account))) },
    {
      event_name: association,
      bk_resource: resourceOf(association),
      bk_obj_id: association,
      bk_obj_name: language === 'en' ? 'Association' : '实例关联',
      sample: sampleBody(
        model.account,
        association,
        'create',
        difference('create', sampleAssociation(model.account)),
        zone,
      ),
    },
    {
      event_name: reset,
      bk_resource: reset,
      bk_obj_id: reset,
      bk_obj_name: language === 'en' ? 'History' : '历史',
      sample: sampleBody(model.account, reset, 'create', difference('create', sampleReset()), zone),
    },
    {
      event_name: queryEvent('<id>'),
      ...entry(queryEvent('<id>'), host, 'create', difference('create', sampleEntry(sampleHost(model, zone)))),
    },
  ]
}

const difference = (action: EventAction, record: Snapshot): Difference => ({
  cur_data: action === 'delete' ? null : record,
  pre_data: action === 'create' ? null : record,
})

const sampleBody = (account: string, objType: string, action: EventAction, data: Difference, zone: Zone) => ({
  ...bodyOf(
    {
      name: objType + action,
      objType,
      eventType: isRelation(objType) ? 'relation' : 'instdata',
      action,
      account,
      businessId: 2,
      instance: '',
      position: 1,
      index: 0,
      actionTime: then,
      requestId: 'd3f1q0c2k9v8r7s6t5u4',
      txnId: 'd3f1q0c2k9v8r7s6t5v0',
      revision: action === 'create' ? 1 : 2,
      reason: '',
      ordinal: 0,
      data: [data],
    },
    zone,
  ),
  distribution_id: 1,
  subscription_id: 1,
})

function sampleRecord(object: ObjectModel, account: string, zone: Zone): Snapshot {
  const own =
    object.id === 'host' ? { bk_host_id: 5, bk_supplier_account: account } : sampleFields(object, account, zone)
  const attributes = object.attributes.map(({ id, type, choices, range }) => {
    const values = { int: range.min ?? 1, float: range.min ?? 1.5, bool: true, enum: choices[0]?.id ?? null }
    return [id, isKeyOf(values, type) ? values[type] : (texts[type] ?? 'text')]
  })
  return { ...own, ...Object.fromEntries(attributes) }
}

const texts: Record<string, string> = {
  date: '2026-01-31',
  time: '2026-01-31 08:00:00',
  objuser: 'amy',
  timezone: 'Asia/Shanghai',
}

function sampleFields(object: ObjectModel, account: string, zone: Zone): Snapshot {
  const known: Snapshot = { bk_supplier_account: account, bk_obj_id: object.id, default: 0, bk_data_status: 'enable' }
  const dates = { day: texts.date, time: texts.time, instant: zone.write(then) }
  const values = { integer: 2, float: 1.5, boolean: true, text: 'text', word: 'text', ...dates }
  const fields = fieldsOf(object)
  const shown = [...shownFields(fields)].map((name) => [name, known[name] ?? values[fields.get(name)?.type ?? 'text']])
  return Object.fromEntries(shown)
}

const sampleHost = (model: Model, zone: Zone) => sampleRecord(objectOf(model, 'host'), model.account, zone)

const sampleEntry = (host: Snapshot): Snapshot => ({
  id: 'd3f1q0c2k9v8r7s6t5u4',
  name: 'web servers',
  bk_biz_id: 2,
  host,
})

const sampleReset = (): Snapshot => ({
  id: 'd3f1q0c2k9v8r7s6t5u4',
  position: 1_234,
  time: new Date(then).toISOString(),
  cause: 'records lost',
})

const sampleAssociation = (account: string): Snapshot => ({
  id: 1,
  bk_supplier_account: account,
  bk_obj_asst_id: 'bk_switch_connect_host',
  bk_asst_id: 'connect',
  bk_obj_id: 'bk_switch',
  bk_inst_id: 7,
  bk_asst_obj_id: 'host',
  bk_asst_inst_id: 5,
})

const sampleMove = (account: string): Snapshot => ({
  bk_biz_id: 2,
  bk_set_id: 3,
  bk_module_id: 4,
  bk_host_id: 5,
  bk_supplier_account: account,
})

const sampleIdentity = (account: string): Snapshot => ({
  bk_host_id: 5,
  bk_supplier_account: account,
  bk_host_innerip: '10.0.0.5',
  bk_cloud_id: 0,
  bk_cloud_name: 'default area',
  associations: {
    4: {
      bk_biz_id: 2,
      bk_biz_name: 'shop',
      bk_set_id: 3,
      bk_set_name: 'checkout',
      bk_module_id: 4,
      bk_module_name: 'web',
    },
  },
})
