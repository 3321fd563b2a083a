import { type FileHandle, open } from 'node:fs/promises'
import type { OnFork, SealWitness, StoredSeals } from './seal-witness.ts'
import { isSeal, lineOf, type Seal } from './statement.ts'

/** More than the longest possible line. */
const tailBytes = 8_192

/** Appends each seal as one line of JSON. The last complete line tells the progress, also after a crash within a line. */
export function fileWitness(path: string, onFork: OnFork): SealWitness {
  /** For a file that ends with a seal of another history: the last segment it shares with the database, found by reading all of it. */
  let fork: { readonly line: string; readonly shared: number } | undefined

  async function sharedWith(stored: StoredSeals): Promise<number> {
    const lines = await stored.lines()
    const { seals } = readWitness(await withWitnessFile(path, (file) => textFrom(file, 0)))
    const shared = seals.filter((seal) => lines.get(seal.segment) === lineOf(seal))
    return Math.max(0, ...shared.map(({ segment }) => segment))
  }

  return {
    async newest(stored) {
      const last = lastSealIn(await withWitnessFile(path, tailOf))
      if (!last) return 0
      const line = lineOf(last)
      if ((await stored.line(last.segment)) === line) return last.segment
      // The database has gone back or was rewritten: continue after the newest common seal.
      if (fork?.line !== line) {
        fork = { line, shared: await sharedWith(stored) }
        onFork(last.segment)
      }
      return fork.shared
    },

    append: (seals) =>
      withWitnessFile(path, async (file) => {
        const tail = await tailOf(file)
        const isCut = tail !== '' && !tail.endsWith('\n')
        await file.appendFile((isCut ? '\n' : '') + seals.map((seal) => `${lineOf(seal)}\n`).join(''))
        await file.sync()
      }),
  }
}

const tailOf = async (file: FileHandle) => textFrom(file, Math.max(0, (await file.stat()).size - tailBytes))

async function withWitnessFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'a+', 0o600)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

async function textFrom(file: FileHandle, position: number): Promise<string> {
  const { size } = await file.stat()
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - position), position })
  return buffer.toString('utf8', 0, bytesRead)
}

const lastSealIn = (text: string): Seal | undefined =>
  readWitness(text.slice(0, text.lastIndexOf('\n') + 1)).seals.at(-1)

export interface Witnessed {
  readonly seals: readonly Seal[]
  /** Numbers of lines that are not seals, such as one truncated by a crash, which is then written again. */
  readonly unreadable: readonly number[]
}

/** Parses the lines of a witness, in their order. */
export function readWitness(text: string): Witnessed {
  const seals: Seal[] = []
  const unreadable: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const value = parsed(line)
    if (isSeal(value)) seals.push(value)
    else unreadable.push(index + 1)
  }
  return { seals, unreadable }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
