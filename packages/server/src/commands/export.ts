import { createWriteStream, renameSync } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { Refusal } from '../platform/refusal.ts'
import { businessCalled, type Connection, connect, connectionOptions, Unreachable } from './connection.ts'
import { amount } from './progress.ts'

const usage = 'Usage: mainline export hosts|topology|estate [flags], or mainline export template hosts|topology'

export async function exportCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args)
  const connection = connect(values, process.env)
  const path = await pathOf(connection, positionals, values)
  const format = values.format ?? (values.output?.endsWith('.xlsx') ? 'xlsx' : 'csv')
  const answer = await connection.send('GET', `${path}?format=${format}`).catch((error) => {
    throw error instanceof Unreachable ? new Refusal(`${error.message}.`) : error
  })
  await keep(answer, values.output)
}

function readArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...connectionOptions,
        business: { type: 'string' },
        format: { type: 'string' },
        output: { type: 'string', short: 'o' },
      },
    })
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`)
  }
}

async function pathOf(
  connection: Connection,
  [what, kind]: string[],
  { business }: { business?: string | undefined },
): Promise<string> {
  switch (what) {
    case 'hosts':
    case 'topology':
      return `/export/${what}/${await businessCalled(connection, business)}`
    case 'estate':
      return `/export/estate/${connection.account}`
    case 'template':
      if (kind === 'hosts' || kind === 'topology') return `/import/template/${connection.account}/${kind}`
      throw new Refusal(usage)
    default:
      throw new Refusal(usage)
  }
}

/** Under another name until it is whole. */
async function keep(answer: Response, output: string | undefined): Promise<void> {
  const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
  try {
    if (output === undefined) return await pipeline(body, process.stdout, { end: false })
    const show = amount('Exporting')
    let bytes = 0
    const counting = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        show(bytes)
        done(null, chunk)
      },
    })
    await pipeline(body, counting, createWriteStream(`${output}.part`))
    show(bytes, true)
    renameSync(`${output}.part`, output)
  } catch (error) {
    throw new Refusal(`The export broke off: ${(error as Error).message}`)
  }
}
