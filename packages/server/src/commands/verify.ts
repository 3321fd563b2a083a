import { checkBackup, rowsOf } from '../platform/storage/copy/index.ts'
import { openForReading, verifyLog } from '../platform/storage/index.ts'
import { progressBar, progressOfPhases } from './progress.ts'
import { readServerArguments } from './server-arguments.ts'
import { describeIntact, intactOrRefuse } from './verdict.ts'

/** Reads only, so it may run beside a server. With a file it is a backup that is checked. */
export async function verifyCommand(args: string[]): Promise<void> {
  const { words, config } = readServerArguments('verify', args, 1)
  const [file] = words
  if (file !== undefined) return verifyFile(file)
  const { reader, checkFile, close } = await openForReading(config)
  try {
    checkFile()
    const verdict = await verifyLog(reader, progressBar('Checking the log'))
    intactOrRefuse('The log', verdict)
    process.stdout.write(`${describeIntact(verdict)}\n`)
  } finally {
    await close()
  }
}

async function verifyFile(file: string): Promise<void> {
  const { contents, verdict } = await checkBackup(file, progressOfPhases())
  process.stdout.write(`${file} is whole: ${rowsOf(contents).toLocaleString('en')} rows.\n`)
  intactOrRefuse('The log in it', verdict)
  process.stdout.write(`${describeIntact(verdict)}\n`)
}
