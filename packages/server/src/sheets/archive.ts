import { setImmediate } from 'node:timers/promises'
import { problem, rule } from '@mainline/contract'
import { Unzip, UnzipInflate, UnzipPassThrough } from 'fflate'

const megabyte = 1024 * 1024
/**
 * Limit of the unpacked parts of a workbook. A few kilobytes can contain gigabytes of zeros; workbooks of spreadsheets are compressed ten- or
 * twentyfold.
 */
const budgetOf = (packed: number) => Math.min(128 * megabyte, Math.max(8 * megabyte, 50 * packed))
const mostParts = 2_000
/** Compressed bytes per step: unpacked they are at most a thousand times as many. */
const chunkBytes = 16_384

export type Take = (chunk: Uint8Array, last: boolean) => void

/** Unpacks the wanted parts, in the order of the archive, within the budget. */
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
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    unzip.push(bytes.subarray(at, at + chunkBytes), at + chunkBytes >= bytes.length)
    await setImmediate()
  }
}

/** The record at the end of every archive: without it, the file is truncated. */
function hasEnd(bytes: Uint8Array): boolean {
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-65_557)
  return tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1')) >= 0
}
