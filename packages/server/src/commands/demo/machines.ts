const systems = [
  { bk_os_type: '1', bk_os_name: 'Debian', bk_os_version: '13', bk_os_bit: '64-bit' },
  { bk_os_type: '1', bk_os_name: 'Debian', bk_os_version: '12', bk_os_bit: '64-bit' },
  { bk_os_type: '1', bk_os_name: 'Ubuntu', bk_os_version: '26.04', bk_os_bit: '64-bit' },
  { bk_os_type: '2', bk_os_name: 'Windows Server', bk_os_version: '2025', bk_os_bit: '64-bit' },
]
const sizes = [
  { bk_cpu: 4, bk_mem: 8_192, bk_disk: 100 },
  { bk_cpu: 8, bk_mem: 32_768, bk_disk: 500 },
  { bk_cpu: 32, bk_mem: 131_072, bk_disk: 2_000 },
]
const serviceLevels = ['1', '2', '2', '3']

/** The host with this number; up to sixteen million have distinct addresses. */
export function machine(number: number, name: string, operator: string): Record<string, unknown> {
  const index = number + 1
  return {
    bk_host_innerip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    bk_host_name: `${name.replaceAll(' ', '-')}-${index}`,
    ...systems[(number * 7) % 11 === 0 ? 3 : number % 3],
    ...sizes[(number * 5) % sizes.length],
    bk_sla: serviceLevels[number % serviceLevels.length],
    bk_asset_id: `ML${String(index).padStart(8, '0')}`,
    bk_sn: `SN${(index * 2_654_435_761).toString(36).toUpperCase()}`,
    operator,
    import_from: '3',
  }
}
