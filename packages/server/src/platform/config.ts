import { parseArgs } from 'node:util'
import { authModes } from '@mainline/contract'
import { readNetworks } from './outbound/address.ts'
import { misused, Refusal } from './refusal.ts'
import { zoneOf } from './time.ts'

interface Setting<T> {
  readonly flag: string
  readonly env: string
  readonly fallback: string
  readonly help: string
  /** Refuses with what would be right. */
  readonly read: (text: string) => T
}

const setting = <T>(one: Setting<T>) => one

const wrong = (rule: string): never => {
  throw new Error(rule)
}
const text = (value: string) => (value === '' ? wrong('must not be empty') : value)
const whole = (min: number, max: number) => (value: string) => {
  const number = Number(value)
  return /^\d+$/.test(value) && number >= min && number <= max
    ? number
    : wrong(`must be a whole number from ${min} to ${max}`)
}
const oneOf =
  <const Words extends readonly string[]>(...allowed: Words) =>
  (value: string) =>
    allowed.includes(value) ? (value as Words[number]) : wrong(`must be one of ${allowed.join(', ')}`)
const flag = (value: string) =>
  ['1', 'true', 'yes'].includes(value) ||
  (['0', 'false', 'no'].includes(value) ? false : wrong('must be true or false'))
const names = (value: string) =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
/** Without an administrator nobody could give anybody anything again. */
const someNames = (value: string) => {
  const list = names(value)
  return list.length > 0 ? list : wrong('must name at least one user')
}
const anyText = (value: string) => value
/** Without a path, since everything is served from the root. */
const origin = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (value === '') return ''
  return url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
    ? url.origin
    : wrong('must be an address without a path, such as https://cmdb.example.org')
}
/** Named one by one: a wildcard would admit every page there is. */
const origins = (value: string) =>
  names(value).map((each) => {
    const url = URL.canParse(each) ? new URL(each) : undefined
    return url && /^https?:$/.test(url.protocol) && url.origin === each.toLowerCase() && !each.includes('*')
      ? url.origin
      : wrong('must be a comma list of origins without paths, such as https://portal.example.org; * is not one')
  })
/** Whoever can answer in its place could be anyone: plain HTTP only within this machine. */
const issuer = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (value === '' || url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname)))
    return value
  return wrong('must start with https://')
}
const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
/** Milliseconds of `5s,30s,2m`. */
const pauses = (value: string) =>
  names(value).map((pause) => {
    const [, count, unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(pause) ?? []
    return count === undefined
      ? wrong('must be a comma list of pauses such as 5s,30s,2m')
      : Number(count) * (units[unit] ?? 0)
  })
/** Milliseconds of `10s`. */
const span = (least: number, most: number) => (value: string) => {
  const [milliseconds, ...more] = pauses(value)
  return milliseconds !== undefined && more.length === 0 && milliseconds >= least && milliseconds <= most
    ? milliseconds
    : wrong(`must be a time from ${least / 1000}s to ${most / 1000}s, such as ${Math.max(1000, least) / 1000}s`)
}
const zone = (value: string) => {
  try {
    return zoneOf(value)
  } catch {
    return wrong('must be a time zone such as UTC or Asia/Shanghai')
  }
}
const networks = (value: string) => {
  try {
    return readNetworks(value)
  } catch {
    return wrong('must be a comma list of networks such as 10.0.0.0/8')
  }
}
/** The share of requests that succeed which is logged; those that fail are logged unless it is off. */
const requestShare = (value: string): number | 'off' => {
  if (value === 'off') return 'off'
  const share = value === 'all' ? 1 : value === 'errors' ? 0 : /^[01](\.\d+)?$/.test(value) ? Number(value) : 2
  return share <= 1 ? share : wrong('must be all, errors, off or a share from 0 to 1 such as 0.01')
}
const databaseUrl = (value: string) =>
  value === '' || /^postgres(ql)?:\/\/./.test(value) ? value : wrong('must start with postgres://')

/** Every setting there is, once: its flag, its environment variable, its default and what it may be. */
const settings = {
  port: setting({
    flag: 'port',
    env: 'PORT',
    fallback: '8080',
    read: whole(0, 65535),
    help: 'port to listen on; 0 takes a free one',
  }),
  host: setting({ flag: 'host', env: 'HOST', fallback: '127.0.0.1', read: text, help: 'address to listen on' }),
  dataDir: setting({
    flag: 'data-dir',
    env: 'MAINLINE_DATA_DIR',
    fallback: './data',
    read: text,
    help: 'directory of the embedded storage',
  }),
  databaseUrl: setting({
    flag: 'database-url',
    env: 'DATABASE_URL',
    fallback: '',
    read: databaseUrl,
    help: 'postgres://... uses PostgreSQL in place of the embedded storage',
  }),
  connections: setting({
    flag: 'connections',
    env: 'MAINLINE_CONNECTIONS',
    fallback: '10',
    read: whole(2, 1000),
    help: 'connections to PostgreSQL',
  }),
  workers: setting({
    flag: 'workers',
    env: 'MAINLINE_WORKERS',
    fallback: '1',
    read: whole(1, 128),
    help: 'processes that serve the port together, each with its own connections; needs PostgreSQL',
  }),
  migrate: setting({
    flag: 'migrate',
    env: 'MAINLINE_MIGRATE',
    fallback: 'true',
    read: flag,
    help: "bring an older schema up to date at the start; false refuses it until 'mainline migrate' was run",
  }),
  demo: setting({
    flag: 'demo',
    env: 'MAINLINE_DEMO',
    fallback: 'false',
    read: flag,
    help: 'fill an empty estate with a believable company',
  }),
  auth: setting({
    flag: 'auth',
    env: 'MAINLINE_AUTH',
    fallback: 'open',
    read: oneOf(...authModes),
    help: 'how callers are identified: open (BK_User is believed, on this machine only), token, proxy or oidc',
  }),
  url: setting({
    flag: 'url',
    env: 'MAINLINE_URL',
    fallback: '',
    read: origin,
    help: 'where browsers see the server, such as https://cmdb.example.org; needed to sign in with oidc',
  }),
  corsOrigins: setting({
    flag: 'cors-origins',
    env: 'MAINLINE_CORS_ORIGINS',
    fallback: '',
    read: origins,
    help: 'CORS: origins of other web pages that may call the API with a token, a comma list; needs auth token or oidc',
  }),
  proxies: setting({
    flag: 'proxies',
    env: 'MAINLINE_PROXIES',
    fallback: '',
    read: networks,
    help: 'addresses and networks of the proxies in front, a comma list: with proxy they say who calls, otherwise only from where',
  }),
  oidcIssuer: setting({
    flag: 'oidc-issuer',
    env: 'MAINLINE_OIDC_ISSUER',
    fallback: '',
    read: issuer,
    help: 'oidc: the provider; the rest is discovered',
  }),
  oidcAudience: setting({
    flag: 'oidc-audience',
    env: 'MAINLINE_OIDC_AUDIENCE',
    fallback: '',
    read: anyText,
    help: 'oidc: the audience that tokens of programs must be for',
  }),
  oidcClientId: setting({
    flag: 'oidc-client-id',
    env: 'MAINLINE_OIDC_CLIENT_ID',
    fallback: '',
    read: anyText,
    help: 'oidc: who we are at the provider; lets people sign in with a browser',
  }),
  oidcClientSecret: setting({
    flag: 'oidc-client-secret',
    env: 'MAINLINE_OIDC_CLIENT_SECRET',
    fallback: '',
    read: anyText,
    help: 'oidc: our secret at the provider, if it wants one; better set by the variable',
  }),
  oidcUserClaim: setting({
    flag: 'oidc-user-claim',
    env: 'MAINLINE_OIDC_USER_CLAIM',
    fallback: 'preferred_username,sub',
    read: names,
    help: 'oidc: the claims that name the user; the first that is there',
  }),
  oidcAccountClaim: setting({
    flag: 'oidc-account-claim',
    env: 'MAINLINE_OIDC_ACCOUNT_CLAIM',
    fallback: '',
    read: anyText,
    help: 'oidc: the claim that names the supplier account; without it everyone belongs to account 0',
  }),
  compat: setting({
    flag: 'compat',
    env: 'MAINLINE_COMPAT',
    fallback: 'document',
    read: oneOf('document', 'bk-cmdb'),
    help: 'whom the interface pleases where they differ: document, or bk-cmdb for clients of the original 3.2',
  }),
  admins: setting({
    flag: 'admins',
    env: 'MAINLINE_ADMINS',
    fallback: 'admin',
    read: someNames,
    help: 'administrators, a comma list of user names',
  }),
  timezone: setting({
    flag: 'timezone',
    env: 'MAINLINE_TIMEZONE',
    fallback: 'UTC',
    read: zone,
    help: 'zone of times that are shown, and of times sent without an offset',
  }),
  bodyLimit: setting({
    flag: 'body-limit',
    env: 'MAINLINE_BODY_LIMIT',
    fallback: '8388608',
    read: whole(1024, 1_073_741_824),
    help: 'largest request body, in bytes',
  }),
  maxSockets: setting({
    flag: 'max-sockets',
    env: 'MAINLINE_MAX_SOCKETS',
    fallback: '16000',
    read: whole(10, 1_000_000),
    help: 'connections of callers that are open at once; more are closed at once',
  }),
  maxRequests: setting({
    flag: 'max-requests',
    env: 'MAINLINE_MAX_REQUESTS',
    fallback: '1000',
    read: whole(1, 1_000_000),
    help: 'requests that are worked on at once; more are told to come back (1199503)',
  }),
  maxLag: setting({
    flag: 'max-lag',
    env: 'MAINLINE_MAX_LAG',
    fallback: '1000',
    read: whole(0, 60_000),
    help: 'milliseconds the server may be late, three times in a row, before it turns requests away (1199503); 0 never does',
  }),
  queueTime: setting({
    flag: 'queue-time',
    env: 'MAINLINE_QUEUE_TIME',
    fallback: '10s',
    read: span(100, 600_000),
    help: 'how long a request waits for its turn at the storage before it is told to come back (1199503)',
  }),
  requestTime: setting({
    flag: 'request-time',
    env: 'MAINLINE_REQUEST_TIME',
    fallback: '60s',
    read: span(1_000, 3_600_000),
    help: 'how long a request may take to arrive, body and all',
  }),
  callerRequests: setting({
    flag: 'caller-requests',
    env: 'MAINLINE_CALLER_REQUESTS',
    fallback: '200',
    read: whole(0, 1_000_000),
    help: 'requests of one caller that are worked on at once (1199429); 0 sets no limit, nor does open identity',
  }),
  callerRate: setting({
    flag: 'caller-rate',
    env: 'MAINLINE_CALLER_RATE',
    fallback: '1000',
    read: whole(0, 1_000_000),
    help: 'requests a second of one caller, twice as many in a burst (1199429); 0 sets no limit, nor does open identity',
  }),
  callerWatches: setting({
    flag: 'caller-watches',
    env: 'MAINLINE_CALLER_WATCHES',
    fallback: '1000',
    read: whole(0, 1_000_000),
    help: 'watches and streams of one caller at once (1199429); 0 sets no limit, nor does open identity',
  }),
  maxLevels: setting({
    flag: 'max-levels',
    env: 'MAINLINE_MAX_LEVELS',
    fallback: '7',
    read: whole(4, 20),
    help: 'objects on the main line at most, business and host included',
  }),
  retentionDays: setting({
    flag: 'retention-days',
    env: 'MAINLINE_RETENTION_DAYS',
    fallback: '0',
    read: whole(0, 36_500),
    help: 'days the operation log is kept; 0 keeps it for ever',
  }),
  retrySchedule: setting({
    flag: 'retry-schedule',
    env: 'RETRY_SCHEDULE',
    fallback: '5s,30s,2m,5m,10m,15m,30m',
    read: pauses,
    help: 'pauses between the tries of an event that its receiver rejects; then it is a dead letter',
  }),
  callbackAllow: setting({
    flag: 'callback-allow',
    env: 'MAINLINE_CALLBACK_ALLOW',
    fallback: '',
    read: networks,
    help: 'networks that callbacks may go to although a wider one is denied, or they are this machine',
  }),
  callbackDeny: setting({
    flag: 'callback-deny',
    env: 'MAINLINE_CALLBACK_DENY',
    fallback: '',
    read: networks,
    help: 'networks that callbacks may not go to; of two that hold an address the narrower decides',
  }),
  logLevel: setting({
    flag: 'log-level',
    env: 'LOG_LEVEL',
    fallback: 'info',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    help: 'what is written to the log',
  }),
  requestLog: setting({
    flag: 'request-log',
    env: 'MAINLINE_REQUEST_LOG',
    fallback: 'all',
    read: requestShare,
    help: 'requests that are logged: all, errors, off, or a share of those that succeed such as 0.01 (and all errors)',
  }),
  drainTime: setting({
    flag: 'drain-time',
    env: 'MAINLINE_DRAIN_TIME',
    fallback: '0s',
    read: span(0, 600_000),
    help: 'how long a stopping server says 503 at /readyz and answers requests as before, until load balancers have noticed',
  }),
}

type Settings = typeof settings
export type ServeConfig = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['read']> }
export type SettingName = keyof Settings

export const allSettings = Object.keys(settings) as SettingName[]

/** Flags win over the environment, the environment over the defaults. */
export function readConfig(args: string[], env: NodeJS.ProcessEnv): ServeConfig {
  const options = Object.fromEntries(settingFlags().map(({ flag }) => [flag, { type: 'string' as const }]))
  try {
    return configOf(parseArgs({ args: withLoneSwitches(args), options }).values, env)
  } catch (error) {
    throw error instanceof Refusal ? error : misused((error as Error).message)
  }
}

/** From flags that have been read. Settings that a command does not take have their defaults, whatever the environment says. */
export function configOf(
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  taken: readonly SettingName[] = allSettings,
): ServeConfig {
  const entries = Object.entries(settings).map(([name, one]) => {
    if (!taken.includes(name as SettingName)) return [name, one.read(one.fallback)]
    const given = flags[one.flag]
    const value = String(given ?? env[one.env] ?? one.fallback)
    try {
      return [name, one.read(value.trim())]
    } catch (error) {
      const where = given !== undefined ? `--${one.flag}` : one.env
      throw misused(`${where} is '${value}': it ${(error as Error).message}.`)
    }
  })
  return Object.fromEntries(entries) as ServeConfig
}

/** A switch may be given alone: --demo is --demo=true. */
export const withLoneSwitches = (args: readonly string[]): string[] =>
  args.map((arg) =>
    Object.values(settings).some((one) => isSwitch(one) && arg === `--${one.flag}`) ? `${arg}=true` : arg,
  )

const isSwitch = (one: Setting<unknown>) => one.read === flag

/** The flags of settings, and whether each may be given alone. */
export const settingFlags = (names: readonly SettingName[] = allSettings) =>
  names.map((name) => settings[name]).map((one) => ({ flag: one.flag, help: one.help, isSwitch: isSwitch(one) }))

/** The environment variables that are read. */
export const settingNames = () => Object.values(settings).map((one) => one.env)

/** Settings as they are shown to people. */
export const listSettings = (names: readonly SettingName[] = allSettings) =>
  names.map((name) => settings[name]).map(({ flag, env, fallback, help }) => ({ flag, env, fallback, help }))

export function describeConfig(names?: readonly SettingName[]): string {
  const rows = listSettings(names).map(({ flag, env, fallback, help }) => [
    `--${flag}`,
    env,
    fallback === '' ? '(none)' : fallback,
    help,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)))
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`).join('\n')
}

const loopback = /^(127(\.\d{1,3}){3}|::1|localhost)$/
export const isLoopback = (host: string) => loopback.test(host.replace(/^\[|\]$/g, ''))

/** Believing the caller's word is fine on one's own machine and nowhere else. */
export function refuseOpenToOthers(config: Pick<ServeConfig, 'auth' | 'host'>): void {
  if (config.auth === 'open' && !isLoopback(config.host)) {
    throw misused(
      `--host ${config.host} would let everyone in: 'open' identity believes any caller and serves this machine only. ` +
        'Listen on 127.0.0.1, or set MAINLINE_AUTH to token, proxy or oidc.',
    )
  }
}

/** The embedded storage belongs to one process. */
export function refuseLonelyWorkers({ workers, databaseUrl }: Pick<ServeConfig, 'workers' | 'databaseUrl'>): void {
  if (workers > 1 && !databaseUrl) {
    throw misused(
      `MAINLINE_WORKERS is ${workers}: the embedded storage serves one process. Set DATABASE_URL to share PostgreSQL, or leave it at 1.`,
    )
  }
}

/** Only where callers show a token can the page of another origin be told from the person who looks at it. */
export function refuseOriginsWithoutTokens({ auth, corsOrigins }: Pick<ServeConfig, 'auth' | 'corsOrigins'>): void {
  if (corsOrigins.length > 0 && auth !== 'token' && auth !== 'oidc') {
    throw new Refusal(
      `MAINLINE_CORS_ORIGINS would let pages of ${corsOrigins.join(', ')} act for anyone: '${auth}' identity asks for no token. ` +
        'Set MAINLINE_AUTH to token or oidc, or leave MAINLINE_CORS_ORIGINS empty.',
    )
  }
}

/** What a way of identifying callers cannot do without. */
export function refuseIncompleteAuth(config: ServeConfig): void {
  const lacks = (mode: string, what: string) => misused(`MAINLINE_AUTH=${mode} needs ${what}.`)
  if (config.auth === 'proxy' && config.proxies.length === 0) {
    throw lacks('proxy', 'MAINLINE_PROXIES, the addresses of the proxies that may say who calls')
  }
  if (config.auth !== 'oidc') return
  if (config.oidcIssuer === '') throw lacks('oidc', 'MAINLINE_OIDC_ISSUER, the address of the provider')
  if (config.oidcAudience === '' && config.oidcClientId === '') {
    throw lacks('oidc', 'MAINLINE_OIDC_AUDIENCE for tokens of programs, MAINLINE_OIDC_CLIENT_ID for browsers, or both')
  }
  if (config.oidcClientId !== '' && config.url === '') {
    throw lacks('oidc', 'MAINLINE_URL, where the provider sends browsers back to, when MAINLINE_OIDC_CLIENT_ID is set')
  }
  if (config.oidcUserClaim.length === 0) throw lacks('oidc', 'MAINLINE_OIDC_USER_CLAIM, the claims that name the user')
}
