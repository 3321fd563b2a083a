import type { SettingName } from '../platform/config.ts'

export interface ServerCommand {
  readonly summary: string
  /** Each way to say it, without the program's name and the flags. */
  readonly usage: readonly string[]
  /** Loaded only when it is the one that was asked for. */
  readonly load: () => Promise<(args: string[]) => Promise<void>>
  /** What its first word may be. */
  readonly words?: readonly string[]
  /** The settings it takes, as flags and from the environment. */
  readonly settings: readonly SettingName[] | 'all'
  /** Flags beside them. */
  readonly flags?: readonly OwnFlag[]
  readonly examples?: readonly string[]
}

export interface OwnFlag {
  readonly flag: string
  /** What stands for its value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly help: string
}

/** Where the storage is. */
const storage = ['dataDir', 'databaseUrl', 'connections'] as const satisfies SettingName[]

/** The commands that are a server, or work on its storage. */
export const serverCommands: Record<string, ServerCommand> = {
  serve: {
    summary: 'serve the interface and the console',
    usage: ['serve'],
    load: async () => (await import('./serve.ts')).serveCommand,
    settings: 'all',
    examples: ['serve --demo', 'serve --host 0.0.0.0 --auth token --data-dir /var/lib/mainline'],
  },
  migrate: {
    summary: 'bring the schema up to date and stop',
    usage: ['migrate'],
    load: async () => (await import('./migrate.ts')).migrateCommand,
    settings: storage,
  },
  demo: {
    summary: 'fill an empty estate with a believable company',
    usage: ['demo'],
    load: async () => (await import('./demo.ts')).demoCommand,
    settings: [...storage, 'migrate', 'timezone'],
    flags: [
      { flag: 'hosts', value: 'N', help: 'size of the estate, as a number of hosts (default 500)' },
      { flag: 'large', help: 'adds a business of 10,000 nodes' },
    ],
  },
  verify: {
    summary: 'check the database file and the operation log (seals, order, gaps), or a backup',
    usage: ['verify', 'verify FILE'],
    load: async () => (await import('./verify.ts')).verifyCommand,
    settings: storage,
  },
  backup: {
    summary: 'write everything there is into one file, while the server runs',
    usage: ['backup FILE'],
    load: async () => (await import('./backup.ts')).backupCommand,
    settings: storage,
  },
  restore: {
    summary: 'make an estate from a backup, on either engine, where there is none yet',
    usage: ['restore FILE'],
    load: async () => (await import('./restore.ts')).restoreCommand,
    settings: [...storage, 'timezone'],
  },
  move: {
    summary: 'carry an estate from one engine to the other',
    usage: ['move --from PLACE --to PLACE'],
    load: async () => (await import('./move.ts')).moveCommand,
    settings: ['dataDir', 'connections'],
    flags: [
      {
        flag: 'from',
        value: 'PLACE',
        help: 'where it is: sqlite (the data directory), sqlite:DIRECTORY, or postgres://...',
      },
      { flag: 'to', value: 'PLACE', help: 'where it goes: the same; there must be no estate yet' },
    ],
    examples: ['move --from sqlite --to postgres://mainline@db.example.org/mainline'],
  },
  privileges: {
    summary: 'test who may do what; exits with 1 when the file is not met, with 2 when it cannot be told',
    usage: ['privileges test FILE'],
    load: async () => (await import('./privileges.ts')).privilegesCommand,
    words: ['test'],
    settings: [...storage, 'admins'],
  },
  token: {
    summary: 'create, list and revoke the tokens that programs identify themselves with',
    usage: ['token create --user NAME', 'token list', 'token revoke ID'],
    load: async () => (await import('./token.ts')).tokenCommand,
    words: ['create', 'list', 'revoke'],
    settings: [...storage, 'migrate', 'timezone'],
    flags: [
      { flag: 'user', value: 'NAME', help: 'create: the user it identifies' },
      { flag: 'account', value: 'CODE', help: 'create: the supplier account it is confined to (default 0)' },
      { flag: 'name', value: 'TEXT', help: 'create: what it is for, as the list shows it' },
      { flag: 'read-only', help: 'create: it may read, and change nothing' },
      {
        flag: 'expires',
        value: 'TIME',
        help: 'create: how long it is valid: 45s, 30m, 12h, 90d or never (default 90d)',
      },
    ],
    examples: ["token create --user ci --read-only --expires 30d --name 'nightly report'", 'token revoke 3'],
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
    summary: 'print this, or how a command is used',
    usage: ['help', 'help COMMAND'],
    load: async () => (await import('./help.ts')).helpCommand,
    settings: [],
  },
}
