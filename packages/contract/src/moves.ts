import Type from 'typebox'
import { byGroup, inBusinessOfBody } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { mostHosts } from './hosts.ts'
import { Account, Nothing, NumericId } from './vocabulary.ts'

const Hosts = Type.Array(NumericId, { minItems: 1, maxItems: mostHosts, description: 'bk_host_id of the hosts' })
const named = { bk_supplier_account: Type.Optional(Account), bk_biz_id: NumericId, bk_host_id: Hosts }

export const moveToModules = endpoint({
  name: 'transfer_host_module',
  method: 'POST',
  effect: 'write',
  path: '/hosts/modules',
  area: 'Hosts',
  summary: 'Move hosts of a business to its modules, replacing or extending their current modules.',
  allow: inBusinessOfBody('hosttrans'),
  conditional: true,
  body: Type.Object({
    ...named,
    bk_module_id: Type.Array(NumericId, { minItems: 1, maxItems: 200 }),
    is_increment: Type.Optional(Type.Boolean({ description: 'true keeps the modules the hosts are in already' })),
  }),
  refuses: ['hostNotInBusiness', 'hostNotFound', 'moduleNotFound', 'unknown'],
  data: Nothing,
  example: { body: { bk_biz_id: 2, bk_host_id: [1, 2], bk_module_id: [9], is_increment: false } },
})

const within = (name: string, where: 'idle' | 'fault') =>
  endpoint({
    name,
    method: 'POST',
    effect: 'write',
    path: `/hosts/modules/${where}`,
    area: 'Hosts',
    summary: `Move hosts to the ${where} module of the business; they leave all other modules.`,
    allow: inBusinessOfBody('hosttrans'),
    conditional: true,
    body: Type.Object(named),
    refuses: ['hostNotInBusiness', 'hostNotFound', 'unknown'],
    data: Nothing,
    example: { body: { bk_biz_id: 2, bk_host_id: [1, 2] } },
  })

export const moveToIdle = within('transfer_host_to_idlemodule', 'idle')
export const moveToFault = within('transfer_host_to_faultmodule', 'fault')

export const moveToPool = endpoint({
  name: 'transfer_host_to_resourcemodule',
  method: 'POST',
  effect: 'write',
  path: '/hosts/modules/resource',
  area: 'Hosts',
  summary: 'Return idle hosts of a business to the resource pool.',
  allow: inBusinessOfBody('hosttrans'),
  conditional: true,
  body: Type.Object(named),
  refuses: ['hostNotIdle', 'hostNotInBusiness', 'hostNotFound', 'unknown'],
  data: Nothing,
  example: { body: { bk_biz_id: 2, bk_host_id: [451] } },
})

export const assignFromPool = endpoint({
  name: 'transfer_resourcehost_to_idlemodule',
  method: 'POST',
  effect: 'write',
  path: '/hosts/modules/resource/idle',
  area: 'Hosts',
  summary: 'Assign hosts of the resource pool to a business: they are placed in its idle module.',
  allow: byGroup('resource'),
  conditional: true,
  body: Type.Object(named),
  refuses: ['hostElsewhere', 'hostNotFound', 'unknown'],
  data: Nothing,
  example: { body: { bk_biz_id: 2, bk_host_id: [451] } },
})

export const emptyToIdle = endpoint({
  name: 'transfer_sethost_to_idle_module',
  method: 'POST',
  effect: 'write',
  path: '/hosts/modules/idle/set',
  area: 'Hosts',
  summary: 'Empty a set or a module: hosts that are then in no module are moved to the idle module of the business.',
  allow: inBusinessOfBody('hosttrans'),
  body: Type.Object({
    bk_supplier_account: Type.Optional(Account),
    bk_biz_id: NumericId,
    bk_set_id: Type.Optional(Type.Union([NumericId, Type.Literal(0)])),
    bk_module_id: Type.Optional(Type.Union([NumericId, Type.Literal(0)])),
  }),
  refuses: ['unknown', 'moduleNotFound'],
  data: Nothing,
  example: { body: { bk_biz_id: 2, bk_set_id: 3 } },
})
