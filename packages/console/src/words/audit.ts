import { inBoth, number, plural } from './index.ts'

interface Seen {
  readonly segments: number
  readonly records: number
  readonly unsealed: number
  readonly removed: number
  readonly signed: number
  readonly witnessed: number | null
}

interface Fault {
  readonly fault: string
  readonly segment: number
  readonly first_position: number
  readonly last_position: number
}

const range = ({ first_position: first, last_position: last }: Fault) => `${number(first)}–${number(last)}`

export const audit = inBoth(
  {
    title: 'Audit',
    changes: 'Changes',
    count: (count: number) => plural(count, 'record', 'records'),
    filters: 'Filters',
    business: 'Business',
    allBusinesses: 'All businesses',
    target: 'Resource',
    allTargets: 'All resources',
    targets: {
      biz: 'Businesses',
      object: 'Levels and other instances',
      set: 'Sets',
      module: 'Modules',
      host: 'Hosts',
      model: 'Model',
      userapi: 'Custom queries',
      usergroup: 'User groups',
      privilege: 'Privileges',
      subscription: 'Subscriptions',
      history: 'History',
    },
    type: 'Operation',
    allTypes: 'All operations',
    types: { add: 'Created', update: 'Updated', delete: 'Deleted', transfer: 'Moved' },
    operator: 'User',
    instance: 'Instance ID',
    key: 'Host address',
    reason: 'Reason',
    from: 'From',
    to: 'To',
    reset: 'Reset filters',
    empty: 'No record matches these filters',
    emptyWhy: 'Widen the time range, or remove a filter.',
    nothing: 'No changes yet',
    attribute: 'Attribute',
    before: 'Before',
    after: 'After',
    noDifference: 'No attribute changed.',
    openObject: 'Show in the tree',
    openModel: 'Show in the model',
    openHost: 'Show the host',
    openQuery: 'Show the query',
    openSubscription: 'Show the subscription',
    openGroup: 'Show the group',
    openRoles: 'Show the roles',
    gone: 'It has been deleted.',
    request: 'Request',
    verify: 'Verify the log',
    verifying: (checked: number, position: number) =>
      `Verifying seals: ${number(checked)} of ${number(position)} records`,
    intact: 'The log is intact.',
    nothingSealed: 'Nothing is sealed yet.',
    attested: ({ segments, signed, witnessed }: Seen) =>
      `${signed === 0 ? 'Seals are not signed by this server' : signed === segments ? 'All seals are signed' : `${number(signed)} of ${number(segments)} seals are signed by this server`}; ${witnessed === null ? 'there is no witness' : `witnessed up to segment ${number(witnessed)}`}.`,
    broken: (count: number) => `The log is NOT intact: ${plural(count, 'error', 'errors')} found.`,
    verified: ({ segments, records, unsealed, removed }: Seen) =>
      `${plural(records, 'record', 'records')} in ${plural(segments, 'sealed segment', 'sealed segments')}, ${number(unsealed)} not yet sealed${removed > 0 ? `, ${number(removed)} removed by retention` : ''}.`,
    fault: (fault: Fault) =>
      `${fault.segment > 0 ? `Segment ${number(fault.segment)}, records` : 'Records'} ${range(fault)}: ${
        {
          order: 'the preceding segment is missing',
          chain: 'the seal does not continue that of the preceding segment',
          changed: 'the stored records differ from the sealed ones',
          unsealed: 'the seal is missing',
          gap: 'records are missing',
          signature: 'the signature of the seal is invalid',
          unsigned: 'the seal is unsigned, although earlier ones are signed',
        }[fault.fault] ?? fault.fault
      }.`,
    moreFaults: (count: number) => `and ${number(count)} more`,
  },
  {
    title: '审计',
    changes: '变更',
    count: (count) => `${number(count)} 条记录`,
    filters: '筛选',
    business: '业务',
    allBusinesses: '全部业务',
    target: '资源',
    allTargets: '全部资源',
    targets: {
      biz: '业务',
      object: '层级及其他实例',
      set: '集群',
      module: '模块',
      host: '主机',
      model: '模型',
      userapi: '自定义查询',
      usergroup: '用户组',
      privilege: '权限',
      subscription: '订阅',
      history: '历史',
    },
    type: '操作',
    allTypes: '全部操作',
    types: { add: '创建', update: '更新', delete: '删除', transfer: '转移' },
    operator: '操作人',
    instance: '实例 ID',
    key: '主机地址',
    reason: '原因',
    from: '开始',
    to: '结束',
    reset: '重置筛选',
    empty: '没有符合条件的记录',
    emptyWhy: '请放宽时间范围，或去掉某个筛选条件。',
    nothing: '还没有任何变更',
    attribute: '属性',
    before: '变更前',
    after: '变更后',
    noDifference: '没有属性变更。',
    openObject: '在拓扑树中查看',
    openModel: '在模型中查看',
    openHost: '查看主机',
    openQuery: '查看查询',
    openSubscription: '查看订阅',
    openGroup: '查看用户组',
    openRoles: '查看角色',
    gone: '已删除。',
    request: '请求',
    verify: '校验日志',
    verifying: (checked, position) => `正在校验封印：${number(checked)} / ${number(position)} 条记录`,
    intact: '日志完整。',
    nothingSealed: '尚无已封存的记录。',
    attested: ({ segments, signed, witnessed }) =>
      `${signed === 0 ? '封印未由本服务签名' : signed === segments ? '所有封印均已签名' : `${number(segments)} 个封印中有 ${number(signed)} 个由本服务签名`}；${witnessed === null ? '未设置见证' : `已见证至分段 ${number(witnessed)}`}。`,
    broken: (count) => `日志不完整：发现 ${number(count)} 处错误。`,
    verified: ({ segments, records, unsealed, removed }) =>
      `${number(segments)} 个已封存分段，共 ${number(records)} 条记录；${number(unsealed)} 条尚未封存${removed > 0 ? `；${number(removed)} 条已按保留期限清除` : ''}。`,
    fault: (fault) =>
      `${fault.segment > 0 ? `分段 ${number(fault.segment)}，` : ''}记录 ${range(fault)}：${
        {
          order: '缺少前一分段',
          chain: '封印未衔接前一分段的封印',
          changed: '存储的记录与封存时不一致',
          unsealed: '缺少封印',
          gap: '缺少记录',
          signature: '封印的签名不匹配',
          unsigned: '封印未签名，而此前的封印已签名',
        }[fault.fault] ?? fault.fault
      }。`,
    moreFaults: (count) => `以及另外 ${number(count)} 处`,
  },
)
