import type { SettingName } from '../common/config.ts'

export interface ServerCommand {
  readonly summary: string
  /** The forms of the command, without the program's name and the flags. */
  readonly usage: readonly string[]
  /** Loaded lazily, so that other commands start faster. */
  readonly load: () => Promise<(args: string[]) => Promise<void>>
  /** Choices for its first argument. */
  readonly words?: readonly string[]
  /** The settings it takes, as flags and from the environment. */
  readonly settings: readonly SettingName[] | 'all'
  /** Flags that are not settings. */
  readonly flags?: readonly OwnFlag[]
  readonly examples?: readonly string[]
}

export interface OwnFlag {
  readonly flag: string
  /** The placeholder for its value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly help: string
}

/** Settings that locate the storage. */
const storage = ['dataDir', 'databaseUrl', 'connections'] as const satisfies SettingName[]

/** Settings for signing seals. */
const signing = ['sealKey', 'sealCommand', 'sealPublicKey'] as const satisfies SettingName[]

/** The commands that run a server or manage its storage. */
export const serverCommands: Record<string, ServerCommand> = {
  serve: {
    summary: 'serve the API and the console',
    usage: ['serve'],
    load: async () => (await import('./serve/serve.ts')).serveCommand,
    settings: 'all',
    examples: ['serve --demo', 'serve --host 0.0.0.0 --auth token --data-dir /var/lib/mainline'],
  },
  migrate: {
    summary: 'upgrade the database schema and exit',
    usage: ['migrate'],
    load: async () => (await import('./migrate.ts')).migrateCommand,
    settings: storage,
  },
  demo: {
    summary: 'fill an empty estate with demo data',
    usage: ['demo'],
    load: async () => (await import('./demo/demo.ts')).demoCommand,
    settings: [...storage, 'migrate', 'timezone'],
    flags: [
      { flag: 'hosts', value: 'N', help: 'size of the estate, as a number of hosts (default 500)' },
      { flag: 'large', help: 'add a business of 10,000 nodes' },
    ],
  },
  verify: {
    summary: 'check the database file and the operation log (seals, order, gaps), or a backup',
    usage: ['verify', 'verify FILE', 'verify --receipt FILE'],
    load: async () => (await import('./verify/verify.ts')).verifyCommand,
    settings: storage,
    flags: [
      {
        flag: 'witness',
        value: 'FILE',
        help: 'compares the log with seals kept elsewhere (--seal-witness of the server): finds what was rewritten, removed or cut off',
      },
      { flag: 'public-key', value: 'FILE', help: 'checks signatures; PEM, several keys one after the other' },
      {
        flag: 'signed-since',
        value: 'SEGMENT',
        help: 'with --public-key: the segment with which signing began, as verify has said before; all later ones must be signed',
      },
      { flag: 'receipt', value: 'FILE', help: 'checks the receipt of one record, without a database' },
      {
        flag: 'state',
        help: 'also proves that the stored rows, the past and the log agree; prints the first difference',
      },
    ],
    examples: [
      'verify --state',
      'verify --witness /mnt/witness/seals.jsonl --public-key seal.pub',
      'verify --receipt receipt.json --public-key seal.pub',
    ],
  },
  history: {
    summary: 'derive the past anew from the log',
    usage: ['history rebuild'],
    load: async () => (await import('./history.ts')).historyCommand,
    words: ['rebuild'],
    settings: storage,
  },
  'seal-key': {
    summary: 'create the key that seals of the log are signed with, or print the public part of one',
    usage: ['seal-key create FILE', 'seal-key public FILE'],
    load: async () => (await import('./verify/seal-key.ts')).sealKeyCommand,
    words: ['create', 'public'],
    settings: [],
    examples: ['seal-key create seal.key > seal.pub', 'seal-key public seal.key'],
  },
  backup: {
    summary: 'write the whole database into one file, while the server runs',
    usage: ['backup FILE'],
    load: async () => (await import('./copies/backup.ts')).backupCommand,
    settings: storage,
  },
  restore: {
    summary: 'restore a backup into an empty database, on either engine',
    usage: ['restore FILE'],
    load: async () => (await import('./copies/restore.ts')).restoreCommand,
    settings: [...storage, 'timezone', ...signing],
  },
  move: {
    summary: 'copy an estate from one engine to the other',
    usage: ['move --from PLACE --to PLACE'],
    load: async () => (await import('./copies/move.ts')).moveCommand,
    settings: ['dataDir', 'connections'],
    flags: [
      {
        flag: 'from',
        value: 'PLACE',
        help: 'source: sqlite (the data directory), sqlite:DIRECTORY, or postgres://...',
      },
      { flag: 'to', value: 'PLACE', help: 'target: the same forms; it must not contain an estate' },
    ],
    examples: ['move --from sqlite --to postgres://mainline@db.example.org/mainline'],
  },
  privileges: {
    summary: 'test privileges against a file of expectations; exits with 1 if one fails, with 2 if the test cannot run',
    usage: ['privileges test FILE'],
    load: async () => (await import('./access/privileges.ts')).privilegesCommand,
    words: ['test'],
    settings: [...storage, 'admins'],
  },
  token: {
    summary: 'create, list and revoke access tokens',
    usage: ['token create --user NAME', 'token list', 'token revoke ID'],
    load: async () => (await import('./access/token.ts')).tokenCommand,
    words: ['create', 'list', 'revoke'],
    settings: [...storage, 'migrate', 'timezone'],
    flags: [
      { flag: 'user', value: 'NAME', help: 'create: the user it identifies' },
      { flag: 'account', value: 'CODE', help: 'create: the supplier account it is confined to (default 0)' },
      { flag: 'name', value: 'TEXT', help: 'create: description shown in the list' },
      { flag: 'read-only', help: 'create: the token may read but not write' },
      {
        flag: 'expires',
        value: 'TIME',
        help: 'create: how long it is valid: 45s, 30m, 12h, 90d or never (default 90d)',
      },
    ],
    examples: ["token create --user ci --read-only --expires 30d --name 'nightly report'", 'token revoke 3'],
  },
  sessions: {
    summary: 'list the browsers that are signed in with oidc, and sign them out',
    usage: ['sessions list', 'sessions end ID', 'sessions end --user NAME'],
    load: async () => (await import('./access/sessions.ts')).sessionsCommand,
    words: ['list', 'end'],
    settings: [...storage, 'migrate', 'timezone'],
    flags: [{ flag: 'user', value: 'NAME', help: 'end: all sessions of this user' }],
    examples: ['sessions end --user amy'],
  },
  openapi: {
    summary: 'print the API document',
    usage: ['openapi'],
    load: async () => (await import('./openapi.ts')).openApiCommand,
    settings: ['compat'],
  },
  version: {
    summary: 'print the version',
    usage: ['version'],
    load: async () => (await import('./version.ts')).versionCommand,
    settings: [],
  },
  help: {
    summary: 'print this help, or the help of a command',
    usage: ['help', 'help COMMAND'],
    load: async () => (await import('./help.ts')).helpCommand,
    settings: [],
  },
}
