import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Failure } from '@mainline/client'
import { amount } from '../../commands/progress.ts'
import { errorCodeOf, messageOf } from '../../common/error-code.ts'
import { neededBusiness } from '../arguments/business.ts'
import type { Given } from '../arguments/flags.ts'
import { misused, oneOf, refuseFlags, wordIn, wordsOf } from '../arguments/usage.ts'
import { importKinds, sheetKinds } from '../catalogue.ts'
import { bytesOf, type Connection, connect } from '../connection/connection.ts'
import { OutputClosed } from '../output/output.ts'

type What = (typeof importKinds)[number] | 'template'

export async function exportCommand(given: Given): Promise<void> {
  const [word, kind] = wordsOf(given, 'export', given.words[0] === 'template' ? 2 : 1)
  const what: What = wordIn('export', [...importKinds, 'template'], word)
  const template = what === 'template' ? wordIn('export template', sheetKinds, kind) : undefined
  const output = given.value('output')
  const format = oneOf(given, 'format', ['csv', 'xlsx']) ?? (output?.endsWith('.xlsx') ? 'xlsx' : 'csv')
  if (what === 'estate') refuseFlags(given, ['business', 'format'], 'hosts and topology')
  if (template) refuseFlags(given, ['business', 'as-of'], 'hosts and topology')
  const connection = await connect(given)
  const path = template
    ? `/import/template/${encodeURIComponent(connection.account)}/${template}`
    : await pathOf(connection, given, what)
  await keep(await connection.send(what === 'estate' ? path : `${path}?format=${format}`), output)
}

const pathOf = async (connection: Connection, given: Given, what: What) =>
  what === 'estate'
    ? `/export/estate/${encodeURIComponent(connection.account)}`
    : `/export/${what}/${await neededBusiness(connection, given, `export ${what}`)}`

async function keep(answer: Response, output: string | undefined): Promise<void> {
  try {
    if (output === undefined) await pipeline(bytesOf(answer), process.stdout, { end: false })
    else await writeWhole(answer, output)
  } catch (error) {
    if (error instanceof Failure) throw error
    if (errorCodeOf(error) === 'EPIPE') throw new OutputClosed()
    throw misused(`${output ?? 'The export'} cannot be written: ${messageOf(error)}.`)
  }
}

/** Writes to a temporary file, which is renamed when complete. */
async function writeWhole(answer: Response, output: string): Promise<void> {
  const part = `${output}.part`
  const show = amount('Exporting')
  let bytes = 0
  async function* counted() {
    for await (const chunk of bytesOf(answer)) {
      bytes += chunk.length
      show(bytes)
      yield chunk
    }
  }
  try {
    await pipeline(counted(), createWriteStream(part))
    show(bytes, true)
    renameSync(part, output)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}
