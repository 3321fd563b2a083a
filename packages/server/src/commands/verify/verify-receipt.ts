import { misused, Refusal } from '../../common/refusal.ts'
import type { Proofs } from '../../storage/seals/attest.ts'
import { readText } from '../../storage/seals/keys.ts'
import { asReceipt, checkReceipt, type Receipt, type ReceiptFault } from '../../storage/seals/receipt.ts'
import { lineOf } from '../../storage/seals/statement.ts'

const faults: Record<ReceiptFault, string> = {
  position: 'its record is not the one at its position',
  root: 'its record and path do not give the root of its seal: it was changed',
  signature: 'the signature of its seal does not fit: it was changed',
  unknownKey: 'its seal is signed with none of the given keys',
  unsigned: 'its seal is not signed; compare it with a witness (--witness FILE)',
}

/** Checks the receipt of one record with a public key, with a witness, or with both. */
export function verifyReceipt(file: string, { keys, witness }: Pick<Proofs, 'keys' | 'witness'>): void {
  if (!keys && !witness) {
    throw misused('A receipt is checked with what is not in it: --public-key FILE, --witness FILE, or both.')
  }
  const receipt = readReceipt(file)
  const { position, seal } = receipt
  const fault = checkReceipt(receipt, keys)
  const no = (why: string) => new Refusal(`${file} proves nothing about record ${position}: ${why}.`)
  if (fault) throw no(faults[fault])
  if (witness && !witness.seals.some((each) => lineOf(each) === lineOf(seal))) {
    throw no('its seal is not among those that were witnessed')
  }
  const by = [...(keys ? [`signed with key ${seal.key_id}`] : []), ...(witness ? ['witnessed'] : [])].join(' and ')
  process.stdout.write(
    `Record ${position} is in segment ${seal.segment}, sealed at ${new Date(seal.sealed_at).toISOString()}, ${by}.\n`,
  )
}

function readReceipt(file: string): Receipt {
  const wrong = new Refusal(`${file} holds no receipt: it must be JSON from GET /api/v3/audit/receipt/{position}.`)
  let value: unknown
  try {
    value = JSON.parse(readText(file))
  } catch (error) {
    throw error instanceof Refusal ? error : wrong
  }
  const receipt = asReceipt(value)
  if (!receipt) throw wrong
  return receipt
}
