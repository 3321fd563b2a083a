import { verifyState } from '../../areas/history/past/index.ts'
import { misused, Refusal } from '../../common/refusal.ts'
import { checkBackup, tableRows } from '../../storage/copy/index.ts'
import { openForReading, verifyLog } from '../../storage/index.ts'
import type { Proofs } from '../../storage/seals/attest.ts'
import { readPublicKeys, readText } from '../../storage/seals/keys.ts'
import { readWitness, type Witnessed } from '../../storage/seals/witness-file.ts'
import { progressBar, progressOfPhases } from '../progress.ts'
import { readServerArguments } from '../serve/server-arguments.ts'
import { describeIntact, describeProofs, describeState, intactOrRefuse } from './verdict.ts'
import { verifyReceipt } from './verify-receipt.ts'

/** Read-only, so it may run beside a server. With a file it checks a backup, or the receipt of one record. */
export async function verifyCommand(args: string[]): Promise<void> {
  const { words, config, value, has } = readServerArguments('verify', args, 1)
  const [file] = words
  const [witnessFile, keyFile, receipt] = [value('witness'), value('public-key'), value('receipt')]
  if (file !== undefined && witnessFile !== undefined) {
    throw misused('A backup ends before its witness does: restore it first, or check it with --public-key.')
  }
  if (file !== undefined && has('state'))
    throw misused('The state is compared in a database: restore the backup first.')
  const keys = keyFile === undefined ? undefined : readPublicKeys(keyFile)
  const witness = witnessFile === undefined ? undefined : readWitnessFile(witnessFile)
  if (receipt !== undefined) {
    if (file !== undefined) throw misused(`'${file}' is too much: --receipt names the file of a receipt.`)
    return verifyReceipt(receipt, { keys, witness })
  }
  const signedSince = segmentOf(value('signed-since'), keys)
  const proofs = keys || witness ? { keys, witness, signedSince } : undefined
  if (file !== undefined) return verifyFile(file, proofs)
  const { reader, checkFile, atOneMoment, close } = await openForReading(config)
  try {
    checkFile()
    const verdict = await verifyLog(reader, progressBar('Checking the log'), proofs)
    intactOrRefuse('The log', verdict)
    process.stdout.write(`${describeIntact(verdict)}\n${describeProofs(verdict)}`)
    if (!has('state')) return
    const state = await atOneMoment((moment) => verifyState(moment, progressBar('Checking the state')))
    if (state.difference !== undefined) throw new Refusal(`The past is NOT what the log says: ${state.difference}.`)
    process.stdout.write(describeState(state))
  } finally {
    await close()
  }
}

async function verifyFile(file: string, proofs: Proofs | undefined): Promise<void> {
  const { contents, verdict } = await checkBackup(file, progressOfPhases(), proofs)
  process.stdout.write(`${file} is whole: ${tableRows(contents).toLocaleString('en')} rows.\n`)
  intactOrRefuse('The log in it', verdict)
  process.stdout.write(`${describeIntact(verdict)}\n${describeProofs(verdict)}`)
}

function segmentOf(text: string | undefined, keys: Proofs['keys']): number | undefined {
  if (text === undefined) return undefined
  if (!keys) throw misused('--signed-since needs --public-key: what is signed is checked with it.')
  if (!/^[1-9]\d{0,14}$/.test(text)) throw misused(`--signed-since is '${text}': it must be the number of a segment.`)
  return Number(text)
}

function readWitnessFile(path: string): Witnessed {
  const witness = readWitness(readText(path))
  if (witness.seals.length > 0) return witness
  throw new Refusal(
    `${path} holds no seal: it must be what --seal-witness of the server has written, one seal to a line.`,
  )
}
