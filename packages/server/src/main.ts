// The command line.
import { connectionHelp } from './commands/connection.ts'
import { describeConfig } from './platform/config.ts'
import { Refusal } from './platform/refusal.ts'

interface Command {
  readonly summary: string
  /** Loaded only when it is the one that was asked for. */
  readonly load: () => Promise<(args: string[]) => Promise<void>>
  /** Flags beside the common settings. */
  readonly flags?: string
  /** Asks a running server: the settings of one are none of its business. */
  readonly remote?: true
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
    summary: 'check the operation log: seals, order, gaps',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
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
  import: {
    summary: 'bring hosts, topology or a whole estate from a file into a running server; exits with 1 when rows failed',
    load: async () => (await import('./commands/import.ts')).importCommand,
    remote: true,
    flags: [
      '  import hosts FILE --business NAME      hosts from CSV or XLSX',
      '  import topology FILE --business NAME   levels, sets and modules from CSV or XLSX',
      '  import estate FILE                     all that export estate has written',
      '',
      '  --business    its name or its id; pool for the resource pool',
      '  --dry-run     tells what would become of every row and changes nothing',
      '  --atomic      takes all rows or none',
      '  --failed      where rows that failed go (default FILE with .failed in its name)',
      '  --restart     begins anew where an earlier run has stopped half-way',
      connectionHelp,
    ].join('\n'),
  },
  export: {
    summary: 'write hosts, topology or the whole estate of a running server to a file',
    load: async () => (await import('./commands/export.ts')).exportCommand,
    remote: true,
    flags: [
      '  export hosts --business NAME           as CSV or XLSX, to be imported again',
      '  export topology --business NAME',
      '  export template hosts|topology         an empty file to start from',
      '  export estate                          everything, as JSON lines',
      '',
      '  --business    its name or its id; pool for the resource pool',
      '  --output, -o  the file (default: the standard output)',
      '  --format      csv or xlsx (default: as the file is called)',
      connectionHelp,
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
  if (command.remote) return `mainline ${name}: ${command.summary}\n\n${own.trimEnd()}\n`
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
