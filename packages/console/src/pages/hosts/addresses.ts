const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/

export const isAddress = (text: string): boolean =>
  ipv4.test(text) || (text.includes(':') && URL.canParse(`http://[${text}]`))

/** A host may have several addresses, separated by commas. */
export const areAddresses = (text: string): boolean => text.split(',').every((each) => isAddress(each.trim()))

const maxRange = 1_024

/** `10.0.0.5-20` or `10.0.0.5-10.0.1.20` as single addresses; undefined for anything else, and for more than `maxRange` of them. */
export function addressesIn(text: string): string[] | undefined {
  const [, first = '', last = ''] = /^([\d.]+)-([\d.]+)$/.exec(text) ?? []
  const end = last.includes('.') ? last : first.replace(/\d+$/, last)
  if (!ipv4.test(first) || !ipv4.test(end)) return undefined
  const [from, to] = [toNumber(first), toNumber(end)]
  if (to < from || to - from >= maxRange) return undefined
  return Array.from({ length: to - from + 1 }, (_, index) => fromNumber(from + index))
}

const toNumber = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const fromNumber = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
