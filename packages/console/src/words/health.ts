import { inBoth } from './index.ts'

/** The health of a subscription. */
export const healthWords = inBoth(
  {
    active: 'Active',
    paused: 'Paused',
    rejecting: 'Events rejected',
    unreachable: 'Unreachable',
    lapsed: 'Events lost',
  },
  { active: '正常', paused: '已暂停', rejecting: '有事件被拒', unreachable: '无法连接', lapsed: '有事件丢失' },
)
