import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { readConfig } from '../platform/config.ts'
import { Refusal } from '../platform/refusal.ts'
import { openService } from '../service.ts'
import { fillEstate } from './estate.ts'
import { progressBar } from './progress.ts'

export async function demoCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { hosts: { type: 'string' }, large: { type: 'boolean' } },
    strict: false,
  })
  const hosts = Number(values.hosts ?? 500)
  if (!Number.isInteger(hosts) || hosts < 1 || hosts > 10_000_000) {
    throw new Refusal(`--hosts is '${values.hosts}': it must be a whole number from 1 to 10000000.`)
  }
  const rest = args.filter((arg, index) => !/^--(hosts(=|$)|large$)/.test(arg) && args[index - 1] !== '--hosts')
  const config = readConfig(rest, process.env)
  const service = await openService(config, pino({ level: 'warn' }))
  try {
    const made = await fillEstate(service.storage, config, {
      hosts,
      large: values.large === true,
      progress: progressBar('Creating the demo estate'),
    })
    process.stdout.write(
      made
        ? `Created ${made.businesses} businesses with ${made.sets} sets, ${made.modules} modules and ${made.hosts} hosts.\n`
        : 'The estate is not empty; nothing was created.\n',
    )
  } finally {
    await service.close()
  }
}
