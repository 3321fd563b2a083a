// The command line.
import { describeConfig } from './platform/config.ts'
import { Refusal } from './platform/refusal.ts'

interface Command {
  readonly summary: string
  /** Loaded only when it is the one that was asked for. */
  readonly load: () => Promise<(args: string[]) => Promise<void>>
  /** Flags beside the common settings. */
  readonly flags?: string
}

const commands: Record<string, Command> = {
  serve: {
    summary: 'serve the interface and the console',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  migrate: {
    summary: 'bring the schema up to date and stop',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  demo: {
    summary: 'fill the estate with a believable company',
    load: async () => (await import('./commands/demo.ts')).demoCommand,
    flags:
      '  --hosts  size of the estate, as a number of hosts (default 500)\n  --large  adds a business of 10,000 nodes',
  },
  verify: {
    summary: 'check the operation log: seals, order, gaps; verify FILE checks a backup',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  backup: {
    summary: 'write everything there is into one file, while the server runs: backup FILE',
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  restore: {
    summary: 'make an estate from a backup, on either engine, where there is none yet: restore FILE',
    load: async () => (await import('./commands/restore.ts')).restoreCommand,
  },
  move: {
    summary: 'carry an estate from one engine to the other: move --from sqlite --to postgres://...',
    load: async () => (await import('./commands/move.ts')).moveCommand,
    flags: [
      '  --from  where it is: sqlite (the data directory), sqlite:DIRECTORY, or postgres://...',
      '  --to    where it goes: the same; there must be no estate yet',
    ].join('\n'),
  },
  privileges: {
    summary:
      'test who may do what: privileges test FILE; exits with 1 when the file is not met, 2 when it cannot be told',
    load: async () => (await import('./commands/privileges.ts')).privilegesCommand,
  },
  token: {
    summary: 'create, list and revoke what programs identify themselves with',
    load: async () => (await import('./commands/token.ts')).tokenCommand,
    flags: [
      '  token create --user NAME   prints a new token, this once',
      '  token list                 shows all, without their secrets',
      '  token revoke ID            takes one back at once',
      '',
      '  --user       whom it speaks for',
      '  --account    the supplier account it is confined to (default 0)',
      '  --name       what it is for, for the list',
      '  --read-only  refuses whatever changes anything',
      '  --expires    how long it is good for: 45s, 30m, 12h, 90d or never (default 90d)',
    ].join('\n'),
  },
  openapi: {
    summary: 'print the API document',
    load: async () => (await import('./commands/openapi.ts')).openApiCommand,
  },
}

function help(name?: string): string {
  const command = name === undefined ? undefined : commands[name]
  if (!command) {
    const list = Object.entries(commands).map(([each, { summary }]) => `  ${each.padEnd(10)}  ${summary}`)
    return `Usage: mainline <command> [flags]\n\n${list.join('\n')}\n\n'mainline <command> --help' lists the flags.\n`
  }
  const own = command.flags ? `${command.flags}\n\n` : ''
  return `mainline ${name}: ${command.summary}\n\n${own}Settings (flag, environment variable, default):\n\n${describeConfig()}\n`
}

const [name, ...args] = process.argv.slice(2)
try {
  const command = name === undefined ? undefined : commands[name]
  if (name === undefined || name === 'help' || name === '--help') process.stdout.write(help())
  else if (!command) throw new Refusal(`There is no command '${name}'. ${help()}`)
  else if (args.includes('--help')) process.stdout.write(help(name))
  else await (await command.load())(args)
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error.exitCode
}
