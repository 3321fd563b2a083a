/** What completion offers in a place: these words, or names that somebody must be asked for. */
export type Offer = readonly string[] | 'businesses' | 'profiles' | 'files'

export interface Flag {
  /** What stands for its value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly short?: string
  readonly help: string
  /** May be given more than once. */
  readonly repeats?: true
  readonly offers?: Offer
}

const flag = <F extends Flag>(one: F): Flag => one

/** Every flag of the commands that ask a server, once. */
export const flags = {
  business: flag({ value: 'NAME|ID', help: 'the business, by its name or its id', offers: 'businesses' }),
  set: flag({ value: 'NAME|ID', help: 'only modules of this set' }),
  where: flag({
    value: 'CONDITION',
    help: "such as 'bk_os_type=1 and bk_host_name ~ ^web'; repeated, all must hold",
    repeats: true,
  }),
  fields: flag({ value: 'A,B', help: 'the fields to show' }),
  sort: flag({ value: 'A,-B', help: 'the fields to sort by; - in front of one: descending' }),
  limit: flag({ value: 'N', help: 'at most so many' }),
  depth: flag({ value: 'N', help: 'so many levels below the business' }),
  idle: flag({ help: 'with the idle pool' }),
  since: flag({ value: 'TIME', help: 'from then on: 45s, 30m, 1h, 7d ago, or 2026-01-31[T08:00:00]' }),
  until: flag({ value: 'TIME', help: 'up to then, in the same forms' }),
  operator: flag({ value: 'USER', help: 'only what this user did' }),
  target: flag({
    value: 'KIND',
    help: 'only what was done to this kind: biz, set, module, host, userapi, ...',
    offers: ['biz', 'set', 'module', 'host', 'object', 'userapi', 'usergroup', 'privilege', 'model', 'subscription'],
  }),
  type: flag({
    value: 'TYPE',
    help: 'only add, update, delete or transfer',
    offers: ['add', 'update', 'delete', 'transfer'],
  }),
  resource: flag({
    value: 'A,B',
    help: 'only events of these: biz, set, module, host, any object, host_relation, host_identifier, customquery:ID',
    offers: ['biz', 'set', 'module', 'host', 'host_relation', 'host_identifier'],
  }),
  cursor: flag({ value: 'CURSOR', help: 'go on behind this event' }),
  'dry-run': flag({ help: 'tell what would become of every row, and change nothing' }),
  atomic: flag({ help: 'all rows or none' }),
  restart: flag({ help: 'from the first row on, whatever an earlier run has done' }),
  failed: flag({
    value: 'FILE',
    help: 'where rows that failed go (default beside the file, as NAME.failed.csv)',
    offers: 'files',
  }),
  format: flag({
    value: 'FORMAT',
    help: 'csv or xlsx (default as the name of the file ends, else csv)',
    offers: ['csv', 'xlsx'],
  }),
  output: flag({ value: 'FORMAT', short: 'o', help: 'how to show it' }),
  server: flag({ value: 'URL', help: 'the server to ask (MAINLINE_SERVER; default http://127.0.0.1:8080)' }),
  token: flag({ value: 'TOKEN', help: 'who you are; better set by MAINLINE_TOKEN or kept in a profile' }),
  profile: flag({ value: 'NAME', help: 'a server and token kept before (MAINLINE_PROFILE)', offers: 'profiles' }),
  user: flag({ value: 'NAME', help: 'who you are, where identity is open (MAINLINE_USER)' }),
  account: flag({ value: 'CODE', help: 'the supplier account (MAINLINE_ACCOUNT; default that of the token, else 0)' }),
} satisfies Record<string, Flag>

export type FlagName = keyof typeof flags

/** What every command that asks a server takes. */
export const connectionFlags = ['server', 'token', 'profile', 'user', 'account'] as const satisfies FlagName[]

/** What was typed behind the name of a command. */
export interface Given {
  readonly words: readonly string[]
  /** The value of a flag; undefined when it was not given. */
  value(name: FlagName): string | undefined
  /** All values of a flag that repeats. */
  values(name: FlagName): readonly string[]
  has(name: FlagName): boolean
}
