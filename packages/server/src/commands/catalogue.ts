export interface ServerCommand {
  readonly summary: string
  /** Loaded only when it is the one that was asked for. */
  readonly load: () => Promise<(args: string[]) => Promise<void>>
  /** Each way to say it, where there are several. */
  readonly ways?: Readonly<Record<string, string>>
  /** What its first word may be. */
  readonly words?: readonly string[]
  /** Flags beside the common settings. */
  readonly flags?: readonly OwnFlag[]
}

interface OwnFlag {
  readonly flag: string
  readonly help: string
  /** Stands alone, without a value. */
  readonly isSwitch?: true
}

/** The commands that are a server, or work on its storage. */
export const serverCommands: Record<string, ServerCommand> = {
  serve: {
    summary: 'serve the interface and the console',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  migrate: {
    summary: 'bring the schema up to date and stop',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  demo: {
    summary: 'fill the estate with a believable company',
    load: async () => (await import('./demo.ts')).demoCommand,
    flags: [
      { flag: 'hosts', help: 'size of the estate, as a number of hosts (default 500)' },
      { flag: 'large', help: 'adds a business of 10,000 nodes', isSwitch: true },
    ],
  },
  verify: {
    summary: 'check the operation log: seals, order, gaps; verify FILE checks a backup',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  backup: {
    summary: 'write everything there is into one file, while the server runs: backup FILE',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  restore: {
    summary: 'make an estate from a backup, on either engine, where there is none yet: restore FILE',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  move: {
    summary: 'carry an estate from one engine to the other: move --from sqlite --to postgres://...',
    load: async () => (await import('./move.ts')).moveCommand,
    flags: [
      { flag: 'from', help: 'where it is: sqlite (the data directory), sqlite:DIRECTORY, or postgres://...' },
      { flag: 'to', help: 'where it goes: the same; there must be no estate yet' },
    ],
  },
  privileges: {
    summary:
      'test who may do what: privileges test FILE; exits with 1 when the file is not met, 2 when it cannot be told',
    load: async () => (await import('./privileges.ts')).privilegesCommand,
    words: ['test'],
  },
  token: {
    summary: 'create, list and revoke what programs identify themselves with',
    load: async () => (await import('./token.ts')).tokenCommand,
    words: ['create', 'list', 'revoke'],
    ways: {
      'token create --user NAME': 'prints a new token, this once',
      'token list': 'shows all, without their secrets',
      'token revoke ID': 'takes one back at once',
    },
    flags: [
      { flag: 'user', help: 'whom it speaks for' },
      { flag: 'account', help: 'the supplier account it is confined to (default 0)' },
      { flag: 'name', help: 'what it is for, for the list' },
      { flag: 'read-only', help: 'refuses whatever changes anything', isSwitch: true },
      { flag: 'expires', help: 'how long it is good for: 45s, 30m, 12h, 90d or never (default 90d)' },
    ],
  },
  openapi: {
    summary: 'print the API document',
    load: async () => (await import('./openapi.ts')).openApiCommand,
  },
}

/** What a command has of its own, as its help tells it; the common settings follow. */
export function ownHelpOf({ ways = {}, flags = [] }: ServerCommand): string {
  const spelled = flags.map(({ flag, help }) => [`--${flag}`, help] as const)
  return [Object.entries(ways), spelled]
    .filter((rows) => rows.length > 0)
    .map((rows) => {
      const width = Math.max(...rows.map(([left]) => left.length))
      return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('')
    })
    .join('\n')
}
