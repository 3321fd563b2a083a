import type { Attribute } from '../../forms/attributes.ts'
import { hosts } from '../../words/hosts.ts'
import { isAddress } from './addresses.ts'
import { address } from './questions.ts'

/** A column of a table of hosts, as read. */
export interface Column {
  readonly header: string
  /** Absent for an unknown column, or one that is left out. */
  readonly attribute: Attribute | undefined
  readonly isLeftOut: boolean
  /** Values are multiplied by this, for a header such as "Memory (GB)" above an attribute in MB. */
  readonly factor: number
}

/** The user's choice for a column, by index: an attribute, or leaving it out. */
export type ChosenColumns = Readonly<Record<number, string>>
export const leftOut = '-'

/** Common spreadsheet headers of preset attributes, beside the id and the name of the attribute. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  bk_host_innerip:
    'ip, ip address, ipv4, address, inner ip, internal ip, private ip, host ip, 内网ip, ip地址, 地址'.split(', '),
  bk_host_outerip: 'outer ip, external ip, public ip, 外网ip, 公网ip'.split(', '),
  bk_host_name: 'hostname, host name, host, name, 主机名, 主机名称, 名称'.split(', '),
  bk_os_name: 'os, os name, operating system, 操作系统, 操作系统名称'.split(', '),
  bk_os_type: 'os type, os family, operating system family, 操作系统类型'.split(', '),
  bk_os_version: 'os version, 操作系统版本'.split(', '),
  bk_cpu: 'cpu, cpus, cores, core count, cpu cores, vcpu, vcpus, cpu核数, 核数, cpu逻辑核心数'.split(', '),
  bk_mem: 'memory, mem, ram, 内存, 内存容量'.split(', '),
  bk_disk: 'disk, storage, disk size, 磁盘, 磁盘容量, 硬盘'.split(', '),
  bk_sn: 'serial, serial no, serial number, sn, 序列号, 设备sn'.split(', '),
  bk_asset_id: 'asset, asset id, asset no, asset number, asset tag, 固资编号, 资产编号'.split(', '),
  bk_mac: 'mac, mac address, 内网mac地址, mac地址'.split(', '),
  operator: 'owner, maintainer, operator, 主要维护人, 维护人, 负责人'.split(', '),
  bk_bak_operator: 'deputy, deputy maintainer, backup maintainer, 备份维护人'.split(', '),
  bk_comment: 'comment, comments, remark, remarks, note, notes, description, 备注'.split(', '),
  bk_cloud_id: 'cloud, cloud area, cloud area id, 云区域'.split(', '),
}

const bytes: Readonly<Record<string, number>> = { mb: 1, mib: 1, gb: 1_024, gib: 1_024, tb: 1_048_576, tib: 1_048_576 }

/** "Memory (GB)" is the name "memory" and the unit "gb". */
function readHeader(header: string): { name: string; unit: string } {
  const [, name = '', unit = ''] =
    /^(.*?)\s*(?:[([（【]([^)\]）】]*)[)\]）】])?$/s.exec(header.normalize('NFKC').trim()) ?? []
  return { name: plain(name), unit: plain(unit) }
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim()

const isNamed = ({ bk_property_id: id, bk_property_name: name }: Attribute, header: string): boolean =>
  [id, name, ...(synonyms[id] ?? [])].some((each) => plain(each) === header)

/** An exported table also has the placement of each host, which is not an attribute: the dialog asks where to add hosts. */
const placementHeaders = Object.values(hosts).map(({ where }) => plain(where))

export function columnsOf(head: readonly string[], attributes: readonly Attribute[], chosen: ChosenColumns): Column[] {
  const taken = new Set<string>()
  return head.map((header, index) => {
    const { name, unit } = readHeader(header)
    const choice = chosen[index]
    const attribute =
      choice === undefined
        ? attributes.find((each) => isNamed(each, name) && !taken.has(each.bk_property_id))
        : attributes.find((each) => each.bk_property_id === choice)
    if (attribute) taken.add(attribute.bk_property_id)
    return {
      header,
      attribute,
      isLeftOut: choice === leftOut || (!attribute && placementHeaders.includes(name)),
      factor: (bytes[unit] ?? 1) / (bytes[unit] ? (bytes[plain(attribute?.unit ?? '')] ?? bytes[unit]) : 1),
    }
  })
}

/** The first line is a header if it contains no address, and either names an attribute or is followed by addresses. */
export function hasHeader(table: readonly (readonly string[])[], attributes: readonly Attribute[]): boolean {
  const [head = [], ...rows] = table
  if (head.some(isAddress)) return false
  if (columnsOf(head, attributes, {}).some(({ attribute }) => attribute)) return true
  return head.length > 1 && rows.some((cells) => cells.some(isAddress))
}

/** The column of addresses, found by its content if no header names it. */
export function withAddressColumn(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  attributes: readonly Attribute[],
): Column[] {
  const attribute = attributes.find((each) => each.bk_property_id === address)
  if (columns.some((column) => column.attribute?.bk_property_id === address)) return [...columns]
  const counts = columns.map(({ attribute: known, isLeftOut }, index) =>
    known || isLeftOut ? 0 : rows.filter((cells) => isAddress(cells[index] ?? '')).length,
  )
  const best = counts.indexOf(Math.max(...counts))
  return columns.map((column, index) => (index === best && (counts[best] ?? 0) > 0 ? { ...column, attribute } : column))
}
