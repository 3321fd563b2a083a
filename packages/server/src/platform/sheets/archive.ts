import { setImmediate } from 'node:timers/promises'
import { problem, rule } from '@mainline/contract'
import { Unzip, UnzipInflate, UnzipPassThrough } from 'fflate'

const megabyte = 1024 * 1024
/**
 * What the parts of a workbook may come to once they are unpacked. A few kilobytes can hold gigabytes of zeros; what
 * spreadsheets write grows ten- or twentyfold.
 */
const budgetOf = (packed: number) => Math.min(256 * megabyte, Math.max(8 * megabyte, 100 * packed))
const mostParts = 2_000
/** Packed bytes taken at once: unpacked they are at most a thousand times as many. */
const atOnce = 16_384

export type Take = (chunk: Uint8Array, last: boolean) => void

/** Unpacks the parts that are wanted, one after the other as they stand in the archive. Spends from the budget. */
export async function unpack(
  bytes: Uint8Array,
  budget: { spent: number },
  wanted: (name: string) => Take | undefined,
): Promise<void> {
  if (!hasEnd(bytes)) throw problem('badFile', { why: rule('fileCut') })
  const most = budgetOf(bytes.length)
  let parts = 0
  const unzip = new Unzip((file) => {
    if (++parts > mostParts) throw problem('badFile', { why: rule('fileTooLarge') })
    const take = wanted(file.name)
    if (!take) return
    file.ondata = (error, chunk, last) => {
      if (error) throw error
      budget.spent += chunk.length
      if (budget.spent > most) throw problem('badFile', { why: rule('fileTooLarge') })
      take(chunk, last)
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  unzip.register(UnzipPassThrough)
  for (let at = 0; at < bytes.length; at += atOnce) {
    unzip.push(bytes.subarray(at, at + atOnce), at + atOnce >= bytes.length)
    await setImmediate()
  }
}

/** The record that ends every archive: without it, something has been cut off. */
function hasEnd(bytes: Uint8Array): boolean {
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-65_557)
  return tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1')) >= 0
}
