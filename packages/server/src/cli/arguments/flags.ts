/** Completions for a place: fixed words, or names that have to be looked up. */
export type Offer = readonly string[] | 'businesses' | 'profiles' | 'files'

interface Flag {
  /** The placeholder for its value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly short?: string
  readonly help: string
  /** May be given more than once. */
  readonly repeats?: true
  readonly offers?: Offer
}

const flag = <F extends Flag>(one: F): Flag => one

/** Every flag of the client commands. */
export const flags = {
  business: flag({ value: 'NAME|ID', help: 'the business, by its name or its id', offers: 'businesses' }),
  set: flag({ value: 'NAME|ID', help: 'only modules of this set' }),
  where: flag({
    value: 'CONDITION',
    help: "filter such as 'bk_os_type=1 and bk_host_name ~ ^web'; if repeated, all must match",
    repeats: true,
  }),
  fields: flag({ value: 'A,B', help: 'fields to show' }),
  sort: flag({ value: 'A,-B', help: 'fields to sort by; prefix - for descending' }),
  limit: flag({ value: 'N', help: 'maximum number of results' }),
  'as-of': flag({ value: 'TIME', help: 'as of a moment: -2h, -7d, 2026-01-31[T08:00:00+08:00] or position:123' }),
  depth: flag({ value: 'N', help: 'number of levels below the business' }),
  idle: flag({ help: 'include the idle pool' }),
  since: flag({ value: 'TIME', help: 'start: 45s, 30m, 1h, 7d ago, or 2026-01-31[T08:00:00]' }),
  until: flag({ value: 'TIME', help: 'end, in the same forms' }),
  operator: flag({ value: 'USER', help: 'only changes by this user' }),
  target: flag({
    value: 'KIND',
    help: 'only changes of this kind: biz, set, module, host, userapi, ...',
    offers: [
      'biz',
      'set',
      'module',
      'host',
      'object',
      'userapi',
      'usergroup',
      'privilege',
      'model',
      'subscription',
      'history',
    ],
  }),
  type: flag({
    value: 'TYPE',
    help: 'only add, update, delete or transfer',
    offers: ['add', 'update', 'delete', 'transfer'],
  }),
  from: flag({ value: 'MOMENT', help: 'a time, a duration back such as -1d, or position:N' }),
  to: flag({ value: 'MOMENT', help: 'in the same forms (default now)' }),
  biz: flag({ value: 'NAME|ID', help: 'the business, like --business', offers: 'businesses' }),
  query: flag({
    value: 'NAME|ID',
    help: 'the hosts in the result of a saved query: by its id, or with a business by its name',
  }),
  below: flag({ help: 'include everything that was below it at the time' }),
  request: flag({ value: 'ID', help: 'all changes of this request' }),
  txn: flag({ value: 'ID', help: 'one change, by its txn_id' }),
  position: flag({ value: 'N,N', help: 'single records, by their positions in the log' }),
  'on-conflict': flag({
    value: 'WAY',
    help: 'with later changes: skip leaves these records, force overwrites them (default: refuse everything)',
    offers: ['skip', 'force'],
  }),
  resource: flag({
    value: 'A,B',
    help: 'only events of these: biz, set, module, host, any object, host_relation, host_identifier, customquery:ID',
    offers: ['biz', 'set', 'module', 'host', 'host_relation', 'host_identifier'],
  }),
  cursor: flag({ value: 'CURSOR', help: 'resume after this event' }),
  'dry-run': flag({ help: 'report what would be done without changing anything' }),
  atomic: flag({ help: 'import all rows or none' }),
  reason: flag({
    value: 'TEXT',
    help: 'import, undo: reason recorded in the audit; audit: only changes whose reason contains this',
  }),
  restart: flag({ help: 'start from the first row, even if an earlier run was interrupted' }),
  failed: flag({
    value: 'FILE',
    help: 'file for failed rows (default NAME.failed.csv next to the input file)',
    offers: 'files',
  }),
  format: flag({
    value: 'FORMAT',
    help: 'csv or xlsx (default by the extension of the file, else csv)',
    offers: ['csv', 'xlsx'],
  }),
  output: flag({ value: 'FORMAT', short: 'o', help: 'output format' }),
  server: flag({ value: 'URL', help: 'URL of the server (MAINLINE_SERVER; default http://127.0.0.1:8080)' }),
  token: flag({ value: 'TOKEN', help: 'access token; prefer MAINLINE_TOKEN or a profile' }),
  profile: flag({ value: 'NAME', help: 'profile with server and token (MAINLINE_PROFILE)', offers: 'profiles' }),
  user: flag({ value: 'NAME', help: 'user name, with open identity (MAINLINE_USER)' }),
  account: flag({ value: 'CODE', help: 'supplier account (MAINLINE_ACCOUNT; default: that of the token, else 0)' }),
} satisfies Record<string, Flag>

export type FlagName = keyof typeof flags

/** The flags of every client command. */
export const connectionFlags = ['server', 'token', 'profile', 'user', 'account'] as const satisfies FlagName[]

/** The arguments of a command. */
export interface Given {
  readonly words: readonly string[]
  /** The value of a flag; undefined when it was not given. */
  value(name: FlagName): string | undefined
  /** All values of a flag that repeats. */
  values(name: FlagName): readonly string[]
  has(name: FlagName): boolean
}
