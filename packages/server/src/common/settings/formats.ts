// What the values of settings look like. A reader throws an error that completes the sentence "MAINLINE_X is 'value': it ...".
import { readNetworks } from '../../outbound/address.ts'
import { addressFault } from '../../storage/postgres/address.ts'
import { zoneOf } from '../time.ts'

export interface Setting<T> {
  readonly flag: string
  readonly env: string
  readonly fallback: string
  readonly help: string
  /** Its value must not appear in messages. */
  readonly secret?: true
  /** Throws an error with the expected format. */
  readonly read: (text: string) => T
}

export const setting = <T>(one: Setting<T>) => one

const wrong = (rule: string): never => {
  throw new Error(rule)
}
export const text = (value: string) => (value === '' ? wrong('must not be empty') : value)
export const whole = (min: number, max: number) => (value: string) => {
  const number = Number(value)
  return /^\d+$/.test(value) && number >= min && number <= max
    ? number
    : wrong(`must be an integer from ${min} to ${max}`)
}
export const oneOf =
  <const Words extends readonly string[]>(...allowed: Words) =>
  (value: string): Words[number] =>
    allowed.find((each) => each === value) ?? wrong(`must be one of ${allowed.join(', ')}`)
export const flag = (value: string) =>
  ['1', 'true', 'yes'].includes(value) ||
  (['0', 'false', 'no'].includes(value) ? false : wrong('must be true or false'))
export const names = (value: string) =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
/** At least one name: without an administrator no privileges could be granted. */
export const someNames = (value: string) => {
  const list = names(value)
  return list.length > 0 ? list : wrong('must name at least one user')
}
export const anyText = (value: string) => value
/** An origin without a path, since everything is served from the root. */
export const origin = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (value === '') return ''
  return url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
    ? url.origin
    : wrong('must be a URL without a path, such as https://cmdb.example.org')
}
/** Wildcards are refused: they would admit every web page. */
export const origins = (value: string) =>
  names(value).map((each) => {
    const url = URL.canParse(each) ? new URL(each) : undefined
    return url && /^https?:$/.test(url.protocol) && url.origin === each.toLowerCase() && !each.includes('*')
      ? url.origin
      : wrong('must be a comma list of origins without paths, such as https://portal.example.org; * is not one')
  })
/** Over plain HTTP another host could impersonate the provider, so HTTP is allowed on loopback only. */
export const issuer = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (value === '' || url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname)))
    return value
  return wrong('must start with https://')
}
export const scope = (value: string) =>
  value.split(' ').includes('openid') ? value : wrong('must be words separated by blanks, openid among them')
const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
/** Parses `5s,30s,2m` to milliseconds. */
export const pauses = (value: string) =>
  names(value).map((pause) => {
    const [, count, unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(pause) ?? []
    return count === undefined
      ? wrong('must be a comma list of delays such as 5s,30s,2m')
      : Number(count) * (units[unit] ?? 0)
  })
/** Parses `10s` to milliseconds. */
export const span = (least: number, most: number) => (value: string) => {
  const [milliseconds, ...more] = pauses(value)
  return milliseconds !== undefined && more.length === 0 && milliseconds >= least && milliseconds <= most
    ? milliseconds
    : wrong(`must be a duration from ${least / 1000}s to ${most / 1000}s, such as ${Math.max(1000, least) / 1000}s`)
}
export const zone = (value: string) => {
  try {
    return zoneOf(value)
  } catch {
    return wrong('must be a time zone such as UTC or Asia/Shanghai')
  }
}
export const networks = (value: string) => {
  try {
    return readNetworks(value)
  } catch {
    return wrong('must be a comma list of networks such as 10.0.0.0/8')
  }
}
/** The logged share of successful requests; failed ones are always logged unless it is off. */
export const requestShare = (value: string): number | 'off' => {
  if (value === 'off') return 'off'
  const share = value === 'all' ? 1 : value === 'errors' ? 0 : /^[01](\.\d+)?$/.test(value) ? Number(value) : 2
  return share <= 1 ? share : wrong('must be all, errors, off or a fraction from 0 to 1 such as 0.01')
}
export const databaseUrl = (value: string) => {
  const fault = value === '' ? undefined : addressFault(value)
  return fault === undefined ? value : wrong(fault)
}

const loopback = /^(127(\.\d{1,3}){3}|::1|localhost)$/
export const isLoopback = (host: string) => loopback.test(host.replace(/^\[|\]$/g, ''))
