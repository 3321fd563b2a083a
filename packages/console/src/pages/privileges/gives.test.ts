import { expect, it } from 'vitest'
import { readGives, toggled, writeGives } from './gives.ts'

it('reads the grants of a group from every place, and sends all of them back', () => {
  const stored = {
    sys_config: { global_busi: ['resource'], back_config: ['audit'] },
    back_config: ['audit', 'model'],
    model_config: { bk_network: { bk_switch: ['create', 'search'], bk_router: ['search'] } },
  }
  const gives = readGives(stored)
  expect([...gives.entries]).toEqual(['resource', 'audit', 'model'])
  expect(writeGives(gives)).toEqual({
    sys_config: { global_busi: ['resource'] },
    back_config: ['audit', 'model'],
    model_config: stored.model_config,
  })
  const less = { ...gives, instances: toggled(gives.instances, 'bk_network bk_router search', false) }
  expect(writeGives(less).model_config).toEqual({ bk_network: { bk_switch: ['create', 'search'] } })
})
