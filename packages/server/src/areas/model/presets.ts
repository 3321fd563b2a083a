import { type Words, words } from '@mainline/contract'
import { present } from '../../common/present.ts'
import { countries, type PresetChoice, provinces } from './regions.ts'

export const attributeTypes = [
  'singlechar',
  'longchar',
  'int',
  'float',
  'enum',
  'date',
  'time',
  'objuser',
  'timezone',
  'bool',
] as const
export type AttributeType = (typeof attributeTypes)[number]

/** The column is text; only these are written to it. */
export const storedType = (type: string): AttributeType => present(attributeTypes.find((each) => each === type))

export interface PresetAttribute {
  readonly id: string
  readonly type: AttributeType
  readonly name: Words
  readonly group: 'default' | 'role' | 'auto'
  readonly required?: boolean
  readonly choices?: readonly PresetChoice[]
  readonly range?: { readonly min: number; readonly max: number }
  readonly unit?: string
  /** Searchable by default. */
  readonly searchable?: boolean
}

interface PresetObject {
  readonly id: string
  readonly name: Words
  readonly classification: string
  readonly icon: string
  /** The object above it on the main line. */
  readonly above?: string
  readonly attributes: readonly PresetAttribute[]
}

type Extra = Partial<Omit<PresetAttribute, 'id' | 'type' | 'name'>>
const attribute = (id: string, type: AttributeType, en: string, zh: string, extra: Extra = {}): PresetAttribute => ({
  group: 'default',
  id,
  type,
  name: words(en, zh),
  ...extra,
})
const choice = (id: string, en: string, zh: string, isDefault = false): PresetChoice => ({
  id,
  name: words(en, zh),
  isDefault,
})
const role = (id: string, en: string, zh: string, extra: Extra = {}) =>
  attribute(id, 'objuser', en, zh, { group: 'role', searchable: true, ...extra })
const name = (id: string, en: string, zh: string) => attribute(id, 'singlechar', en, zh, { required: true })
/** The name attribute of every object other than the built-in ones. */
export const instanceName = name('bk_inst_name', 'Instance name', '实例名')

const biz: PresetAttribute[] = [
  name('bk_biz_name', 'Business name', '业务名'),
  attribute('life_cycle', 'enum', 'Life cycle', '生命周期', {
    choices: [choice('1', 'Testing', '测试中'), choice('2', 'Online', '已上线', true), choice('3', 'Offline', '停运')],
  }),
  role('bk_biz_maintainer', 'Maintainers', '运维人员', { required: true }),
  role('bk_biz_productor', 'Product managers', '产品人员'),
  role('bk_biz_tester', 'Testers', '测试人员'),
  role('bk_biz_developer', 'Developers', '开发人员'),
  role('operator', 'Operators', '操作人员'),
  attribute('time_zone', 'timezone', 'Time zone', '时区', { required: true }),
  attribute('language', 'enum', 'Language', '语言', {
    required: true,
    choices: [choice('1', 'Chinese', '中文', true), choice('2', 'English', 'English')],
  }),
]

const set: PresetAttribute[] = [
  name('bk_set_name', 'Set name', '集群名'),
  attribute('bk_set_desc', 'singlechar', 'Set description', '集群描述'),
  attribute('bk_set_env', 'enum', 'Environment', '环境类型', {
    choices: [choice('1', 'Testing', '测试'), choice('2', 'Experience', '体验'), choice('3', 'Formal', '正式', true)],
  }),
  attribute('bk_service_status', 'enum', 'Service status', '服务状态', {
    choices: [choice('1', 'Opened', '开放', true), choice('2', 'Closed', '关闭')],
  }),
  attribute('description', 'longchar', 'Remark', '备注'),
  attribute('bk_capacity', 'int', 'Design capacity', '设计容量', { range: { min: 1, max: 999_999_999 } }),
]

const moduleAttributes: PresetAttribute[] = [
  name('bk_module_name', 'Module name', '模块名'),
  attribute('bk_module_type', 'enum', 'Module type', '模块类型', {
    choices: [choice('1', 'Normal', '普通', true), choice('2', 'Database', '数据库')],
  }),
  attribute('operator', 'objuser', 'Maintainer', '主要维护人'),
  attribute('bk_bak_operator', 'objuser', 'Deputy maintainer', '备份维护人'),
]

const auto = { group: 'auto' } as const
const host: PresetAttribute[] = [
  attribute('bk_host_innerip', 'singlechar', 'Inner IP', '内网IP', { required: true }),
  attribute('bk_host_outerip', 'singlechar', 'Outer IP', '外网IP', { searchable: true }),
  attribute('operator', 'objuser', 'Maintainer', '主要维护人', { searchable: true }),
  attribute('bk_bak_operator', 'objuser', 'Deputy maintainer', '备份维护人'),
  attribute('bk_asset_id', 'singlechar', 'Asset number', '固资编号', { searchable: true }),
  attribute('bk_sn', 'singlechar', 'Serial number', '设备SN', { searchable: true }),
  attribute('bk_comment', 'longchar', 'Remark', '备注'),
  attribute('bk_service_term', 'int', 'Warranty years', '质保年限', { range: { min: 1, max: 10 } }),
  attribute('bk_sla', 'enum', 'SLA level', 'SLA级别', {
    choices: [choice('1', 'L1', 'L1'), choice('2', 'L2', 'L2'), choice('3', 'L3', 'L3')],
  }),
  attribute('bk_cloud_id', 'int', 'Cloud area', '云区域'),
  attribute('bk_state_name', 'enum', 'Country', '所在国家', { choices: countries }),
  attribute('bk_province_name', 'enum', 'Province', '所在省份', { choices: provinces }),
  attribute('bk_isp_name', 'enum', 'Internet provider', '所属运营商', {
    choices: [
      choice('0', 'Others', '其它'),
      choice('1', 'China Telecom', '电信'),
      choice('2', 'China Unicom', '联通'),
      choice('3', 'China Mobile', '移动'),
    ],
  }),
  attribute('bk_host_type', 'singlechar', 'Host type', '主机类型'),
  attribute('bk_host_assetid', 'singlechar', 'Asset id', '资产编号'),
  attribute('bk_host_name', 'singlechar', 'Host name', '主机名称', { ...auto, searchable: true }),
  attribute('bk_os_type', 'enum', 'Operating system family', '操作系统类型', {
    ...auto,
    choices: [choice('1', 'Linux', 'Linux'), choice('2', 'Windows', 'Windows'), choice('3', 'AIX', 'AIX')],
  }),
  attribute('bk_os_name', 'singlechar', 'Operating system', '操作系统名称', auto),
  attribute('bk_os_version', 'singlechar', 'Operating system version', '操作系统版本', auto),
  attribute('bk_os_bit', 'singlechar', 'Operating system bits', '操作系统位数', auto),
  attribute('bk_cpu', 'int', 'CPU cores', 'CPU逻辑核心数', auto),
  attribute('bk_cpu_mhz', 'int', 'CPU frequency', 'CPU频率', { ...auto, unit: 'Hz' }),
  attribute('bk_cpu_module', 'singlechar', 'CPU model', 'CPU型号', auto),
  attribute('bk_mem', 'int', 'Memory', '内存容量', { ...auto, unit: 'MB' }),
  attribute('bk_disk', 'int', 'Disk', '磁盘容量', { ...auto, unit: 'GB' }),
  attribute('bk_mac', 'singlechar', 'Inner MAC address', '内网MAC地址', auto),
  attribute('bk_outer_mac', 'singlechar', 'Outer MAC address', '外网MAC地址', auto),
  attribute('create_time', 'time', 'Creation time', '录入时间', auto),
  attribute('import_from', 'enum', 'Imported from', '录入方式', {
    ...auto,
    choices: [choice('1', 'Excel', 'excel'), choice('2', 'Agent', 'agent'), choice('3', 'API', 'api')],
  }),
]

/** The icon of objects for which the user chose none. */
export const defaultIcon = 'icon-cc-default'

export const presetClassifications = [
  { id: 'bk_host_manage', name: words('Host management', '主机管理'), icon: 'icon-cc-host' },
  { id: 'bk_biz_topo', name: words('Business topology', '业务拓扑'), icon: 'icon-cc-business' },
  { id: 'bk_organization', name: words('Organization', '组织架构'), icon: 'icon-cc-organization' },
  { id: 'bk_network', name: words('Network', '网络'), icon: 'icon-cc-network-equipment' },
  { id: 'bk_middleware', name: words('Middleware', '中间件'), icon: 'icon-cc-middleware' },
]

/** Icons of the original interface that are not named after their objects. */
const iconNames: Readonly<Record<string, string>> = {
  biz: 'business',
  plat: 'subnet',
  bk_switch: 'switch2',
  bk_load_balance: 'balance',
}

const object = (
  id: string,
  en: string,
  zh: string,
  classification: string,
  attributes: readonly PresetAttribute[],
  above?: string,
): PresetObject => ({
  id,
  name: words(en, zh),
  classification,
  icon: `icon-cc-${iconNames[id] ?? id.replace(/^bk_/, '')}`,
  attributes,
  ...(above !== undefined && { above }),
})
const plain = [instanceName]

export const presetObjects: readonly PresetObject[] = [
  object('host', 'Host', '主机', 'bk_host_manage', host, 'module'),
  object('module', 'Module', '模块', 'bk_biz_topo', moduleAttributes, 'set'),
  object('set', 'Set', '集群', 'bk_biz_topo', set, 'biz'),
  object('biz', 'Business', '业务', 'bk_organization', biz, ''),
  object('process', 'Process', '进程', 'bk_host_manage', [name('bk_process_name', 'Process name', '进程名称')]),
  object('plat', 'Cloud area', '云区域', 'bk_host_manage', [name('bk_cloud_name', 'Cloud area name', '云区域名')]),
  object('bk_switch', 'Switch', '交换机', 'bk_network', plain),
  object('bk_router', 'Router', '路由器', 'bk_network', plain),
  object('bk_load_balance', 'Load balancer', '负载均衡', 'bk_network', plain),
  object('bk_firewall', 'Firewall', '防火墙', 'bk_network', plain),
  object('bk_weblogic', 'WebLogic', 'WebLogic', 'bk_middleware', plain),
  object('bk_apache', 'Apache', 'Apache', 'bk_middleware', plain),
  object('bk_tomcat', 'Tomcat', 'Tomcat', 'bk_middleware', plain),
]

export const presetGroups = {
  default: words('Basic information', '基础信息'),
  role: words('Roles', '角色'),
  auto: words('Discovered', '自动发现信息'),
} as const
