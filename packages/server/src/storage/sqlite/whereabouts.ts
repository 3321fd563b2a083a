import { readFileSync, statSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { uniqueId } from '../../common/unique-id.ts'
import type { HistoryMark } from '../history/marks.ts'
import type { Whereabouts } from '../history/place.ts'

interface Kept extends HistoryMark {
  readonly directory: string
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  'directory' in value &&
  typeof value.directory === 'string' &&
  'position' in value &&
  Number.isSafeInteger(value.position) &&
  'id' in value &&
  typeof value.id === 'string'

/** A file beside the database, which a copy of the database alone does not include. */
export const witnessIn = (directory: string) => join(directory, 'mainline.witness')

/**
 * The file contains the directory and the newest record known there. An older database put in place lacks that record; a copied one, with
 * or without this file, has another file identity.
 */
export function whereaboutsIn(directory: string, path: string): Whereabouts {
  const file = witnessIn(directory)
  const before = read(file)
  const name = before?.directory ?? uniqueId()
  const place = [name, ...identityOf(path)].join('.')
  let written = before
  return {
    here: async () => ({ place, synchronous: false }),
    remembered: () => before,
    async remember({ position, id }) {
      if (written?.position === position && written.id === id) return
      const kept = { directory: name, position, id }
      await replace(file, JSON.stringify(kept))
      written = kept
    },
  }
}

/**
 * Distinguishes a file from a copy of it. The inode number is not enough, since it is reused after the file is removed. File systems
 * without a birth time report the change time in its place, which is useless here.
 */
function identityOf(path: string): bigint[] {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true })
  return [ino, birthtimeNs === ctimeNs ? 0n : birthtimeNs]
}

function read(file: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isKept(kept) ? kept : undefined
  } catch {
    // Missing or invalid: the database is treated as a copy.
    return undefined
  }
}

/** Atomic replacement: written and synced under a temporary name, then renamed. */
async function replace(file: string, text: string): Promise<void> {
  const making = `${file}.making`
  const handle = await open(making, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(making, file)
}
