import { inBoth, number } from './index.ts'

/** An action, and other words for it, separated by commas: both languages find it. */
interface ActionWords {
  readonly name: string
  readonly also: string
}

/** The compiler checks that both languages name the same actions. */
const named = <Id extends string>(actions: Record<Id, [name: string, also: string]>): Record<Id, ActionWords> => {
  const entries = Object.entries<[string, string]>(actions).map(([id, [name, also]]) => [id, { name, also }])
  return Object.fromEntries(entries) as Record<Id, ActionWords>
}

export const paletteWords = inBoth(
  {
    hint: 'A page, action, business, node, host, user or setting',
    groups: {
      pages: 'Pages',
      actions: 'Actions',
      settings: 'Settings',
      businesses: 'Businesses',
      nodes: (business: string) => `In ${business}`,
      elsewhere: 'In other businesses',
      hosts: 'Hosts',
      queries: 'Saved queries',
      subscriptions: 'Subscriptions',
      people: 'Users and groups',
      model: 'Model',
    },
    allHosts: (count: number) => `All ${number(count)} hosts that match`,
    user: 'what this user may do',
    userGroup: 'group',
    object: 'object',
    zone: (name: string) => `Time zone ${name}`,
    chosen: 'chosen',
    actions: named({
      createBusiness: ['Create business', 'new business, add business'],
      addHosts: ['Add or import hosts', 'import hosts, new host, csv, upload hosts, create hosts, register hosts'],
      newSubscription: ['New subscription', 'subscribe to events, webhook, callback, notify, create subscription'],
      newQuery: ['New query', 'create query, save query, search builder, report'],
      newUserGroup: ['New user group', 'create group, add group, team'],
      newObject: ['New object', 'create object, add model, define object'],
      addNode: ['Add a level, set or module', 'create set, new set, create module, new module, add set, add module'],
      addAttribute: ['Add an attribute', 'new attribute, create attribute, field, column'],
      changeLevels: ['Insert or remove a level', 'main line, add level, new level, delete level, hierarchy'],
      archiveBusiness: ['Archive this business', 'delete business, remove business, retire'],
      compare: ['Compare two moments', 'diff, difference, what changed, before and after'],
      past: ['Look at the past', 'history, as of, time travel, earlier, yesterday'],
      people: ['People of this business', 'maintainers, roles, owners, who, contact, responsible'],
      explain: ['Who may do what', 'permission, privilege, access, why denied, explain'],
      roles: ['What roles allow', 'permission, privilege, role'],
      userGroups: ['User groups', 'team, permission, privilege'],
      pool: ['Resource pool', 'unassigned hosts, free hosts, spare'],
      archived: ['Archived businesses', 'recover business, restore business, deleted business, recycle bin'],
      liveEvents: ['Watch events as they occur', 'live, stream, tail, event feed'],
      undo: ['Undo a change', 'revert, roll back, restore, mistake'],
      verify: ['Verify the audit log', 'integrity, tamper, seal, proof'],
      cloudAreas: ['Cloud areas', 'network area, instances, region'],
      actAs: ['Act as another user', 'impersonate, switch user, log in as, change user'],
      signOut: ['Sign out', 'log out, logout, exit, quit'],
      tour: ['Show the tour', 'introduction, getting started, help, guide, first steps'],
      docs: ['Documentation', 'help, manual, guide, how to, api reference'],
    }),
    settings: named({
      preferences: [
        'Preferences: time zone, density, rows per page',
        'time zone, timezone, settings, options, clock, page size',
      ],
      light: ['Light appearance', 'light mode, light theme, theme, bright, white, day'],
      dark: ['Dark appearance', 'dark mode, dark theme, theme, black, night'],
      system: ['Appearance of the system', 'theme, automatic, system theme'],
      english: ['Language: English', 'english, language'],
      chinese: ['Language: 简体中文', 'chinese, language'],
      normal: ['Density: normal', 'comfortable, spacing, density'],
      compact: ['Density: compact', 'dense, small, tight, spacing, density'],
    }),
  },
  {
    hint: '页面、操作、业务、节点、主机、用户或设置',
    groups: {
      pages: '页面',
      actions: '操作',
      settings: '设置',
      businesses: '业务',
      nodes: (business) => `${business} 中`,
      elsewhere: '其他业务中',
      hosts: '主机',
      queries: '已保存的查询',
      subscriptions: '订阅',
      people: '用户与用户组',
      model: '模型',
    },
    allHosts: (count) => `全部 ${number(count)} 台匹配的主机`,
    user: '该用户的权限',
    userGroup: '用户组',
    object: '对象',
    zone: (name) => `时区 ${name}`,
    chosen: '当前',
    actions: named({
      createBusiness: ['创建业务', '新建业务, 添加业务'],
      addHosts: ['添加或导入主机', '导入主机, 新建主机, 批量导入, 录入主机, 上传主机'],
      newSubscription: ['创建订阅', '新建订阅, 订阅事件, 回调, 推送, 通知'],
      newQuery: ['新建查询', '创建查询, 保存查询, 报表'],
      newUserGroup: ['新建用户组', '创建用户组, 添加用户组, 团队'],
      newObject: ['新建对象', '创建对象, 创建模型, 定义模型'],
      addNode: ['添加层级实例、集群或模块', '创建集群, 新建集群, 创建模块, 新建模块'],
      addAttribute: ['添加属性', '新建属性, 创建属性, 字段, 列'],
      changeLevels: ['插入或移除层级', '主线, 添加层级, 新建层级, 删除层级'],
      archiveBusiness: ['归档此业务', '删除业务, 移除业务'],
      compare: ['对比两个时刻', '比较, 差异, 前后变化'],
      past: ['查看过去', '历史, 回溯, 昨天'],
      people: ['此业务的人员', '运维人员, 角色, 负责人, 联系人'],
      explain: ['谁能做什么', '权限, 为什么被拒绝, 鉴权'],
      roles: ['角色的权限', '权限, 角色'],
      userGroups: ['用户组', '团队, 权限'],
      pool: ['资源池', '未分配主机, 空闲主机'],
      archived: ['已归档业务', '恢复业务, 已删除业务, 回收站'],
      liveEvents: ['实时查看事件', '实时, 事件流'],
      undo: ['撤销变更', '回滚, 还原, 误操作'],
      verify: ['校验审计日志', '完整性, 防篡改, 证明'],
      cloudAreas: ['云区域', '网络区域, 实例'],
      actAs: ['以其他用户身份操作', '切换用户, 更换用户'],
      signOut: ['退出登录', '登出, 注销, 退出'],
      tour: ['开始导览', '介绍, 入门, 帮助, 新手'],
      docs: ['文档', '帮助, 手册, 指南, 接口说明'],
    }),
    settings: named({
      preferences: ['偏好设置：时区、密度、每页行数', '时区, 设置, 选项, 时间, 页大小'],
      light: ['浅色外观', '浅色模式, 白天, 主题, 亮色'],
      dark: ['深色外观', '深色模式, 夜间, 主题, 暗色, 黑色'],
      system: ['跟随系统外观', '主题, 自动'],
      english: ['语言：English', '英文, 英语, 语言'],
      chinese: ['语言：简体中文', '中文, 汉语, 语言'],
      normal: ['标准密度', '间距, 密度'],
      compact: ['紧凑密度', '间距, 密度, 紧凑'],
    }),
  },
)

export type ActionId = keyof (typeof paletteWords)['en']['actions']
export type SettingId = keyof (typeof paletteWords)['en']['settings']

/** Words by which an action or a setting is found, in both languages. */
export const otherWords = (kind: 'actions' | 'settings', id: ActionId | SettingId): string[] =>
  [paletteWords.en, paletteWords['zh-cn']].flatMap((words) => {
    const both: Partial<Record<ActionId | SettingId, ActionWords>> = words[kind]
    const { name = '', also = '' } = both[id] ?? {}
    return [name, ...also.split(',').map((each) => each.trim())]
  })
