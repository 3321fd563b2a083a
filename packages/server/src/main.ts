// The command line.
import { demoCommand } from './commands/demo.ts'
import { migrateCommand } from './commands/migrate.ts'
import { openApiCommand } from './commands/openapi.ts'
import { serveCommand } from './commands/serve.ts'
import { verifyCommand } from './commands/verify.ts'
import { describeConfig } from './platform/config.ts'
import { Refusal } from './platform/refusal.ts'

interface Command {
  readonly summary: string
  readonly run: (args: string[]) => Promise<void>
  /** Flags beside the common settings. */
  readonly flags?: string
}

const commands: Record<string, Command> = {
  serve: { summary: 'serve the interface and the console', run: serveCommand },
  migrate: { summary: 'bring the schema up to date and stop', run: migrateCommand },
  demo: {
    summary: 'fill the estate with a believable company',
    run: demoCommand,
    flags: '  --hosts  size of the estate, as a number of hosts (default 500)',
  },
  verify: { summary: 'check the operation log: seals, order, gaps', run: verifyCommand },
  openapi: { summary: 'print the API document', run: openApiCommand },
}

function help(name?: string): string {
  const command = name === undefined ? undefined : commands[name]
  if (!command) {
    const list = Object.entries(commands).map(([each, { summary }]) => `  ${each.padEnd(8)}  ${summary}`)
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
  else await command.run(args)
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
