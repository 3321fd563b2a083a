import { pino } from 'pino'
import { misused } from '../../common/refusal.ts'
import { openService } from '../../service.ts'
import { progressBar } from '../progress.ts'
import { readServerArguments } from '../serve/server-arguments.ts'
import { fillEstate } from './estate.ts'

export async function demoCommand(args: string[]): Promise<void> {
  const { config, value, has } = readServerArguments('demo', args, 0)
  const hosts = Number(value('hosts') ?? 500)
  if (!Number.isInteger(hosts) || hosts < 1 || hosts > 10_000_000) {
    throw misused(`--hosts is '${value('hosts')}': it must be an integer from 1 to 10000000.`)
  }
  const service = await openService(config, pino({ level: 'warn' }))
  try {
    const made = await fillEstate(service.storage, config, {
      hosts,
      large: has('large'),
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
