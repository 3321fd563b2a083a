import { readFileSync } from 'node:fs'
import { Problem } from '@mainline/contract'
import { isAllowed, reasonOf, verdictOn } from '../../areas/privileges/index.ts'
import { messageOf } from '../../common/error-code.ts'
import { fileFault } from '../../common/file-fault.ts'
import { misused, Refusal, refusalBehind } from '../../common/refusal.ts'
import { openForReading, type Reader } from '../../storage/index.ts'
import { endpoints } from '../openapi.ts'
import { readServerArguments } from '../serve/server-arguments.ts'
import { type Expectation, readExpectations } from './expectations.ts'

/** Distinguishes a test that could not run (2) from wrong privileges (1), for pipelines. */
const testFailedExitCode = 2

export async function privilegesCommand(args: string[]): Promise<void> {
  try {
    const failed = await testFile(args)
    if (failed > 0) process.exitCode = 1
  } catch (error) {
    const refusal = refusalBehind(error)
    throw refusal ? new Refusal(refusal.message, testFailedExitCode) : error
  }
}

/** Read-only, so it may run beside a server. Returns the number of expectations that do not hold. */
async function testFile(args: string[]): Promise<number> {
  const { config, words } = readServerArguments('privileges', args, 2)
  const [verb, file] = words
  if (verb !== 'test' || file === undefined) throw misused("The file is missing: 'mainline privileges test FILE'.")
  const { account, expected } = readExpectations(readText(file), file)
  const { reader, close } = await openForReading(config)
  try {
    let failed = 0
    for (const each of expected) {
      const verdict = await judged(reader, config.admins, account, each).catch((error) => {
        if (!(error instanceof Problem || error instanceof Refusal) || error.cause instanceof Refusal) throw error
        throw new Refusal(`${file}:${each.line}: ${error.message}`)
      })
      const holds = isAllowed(verdict) === each.may
      if (!holds) failed++
      process.stdout.write(`${holds ? 'ok  ' : 'FAIL'}  ${each.sentence}\n      ${reasonOf(verdict, 'en')}\n`)
    }
    process.stdout.write(`${expected.length - failed} of ${expected.length} hold.\n`)
    return failed
  } finally {
    await close()
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${fileFault(error) ?? messageOf(error)}.`)
  }
}

/** The verdict of the guard. */
async function judged(reader: Reader, admins: readonly string[], account: string, expectation: Expectation) {
  const { user, operation, business, about } = expectation
  const where = business === undefined ? {} : { bk_biz_id: await businessCalled(reader, account, business) }
  const question = { operation, about: { ...about, ...where } }
  return verdictOn({ read: reader, heavy: reader }, admins, endpoints, { account, user }, question)
}

async function businessCalled(reader: Reader, account: string, called: string): Promise<number> {
  const found = await reader
    .selectFrom('business')
    .select('biz_id')
    .where('account', '=', account)
    .where('living_name', '=', called)
    .executeTakeFirst()
  if (found) return found.biz_id
  if (/^[1-9]\d{0,14}$/.test(called)) return Number(called)
  throw new Refusal(`There is no business '${called}' in account ${account}.`)
}
