// An estate as a whole: kept in a file, made from one, carried to another engine.
import { existsSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Refusal, refusalBehind } from '../../refusal.ts'
import type { Verdict } from '../log/verify.ts'
import { readMigrations } from '../migrate.ts'
import { lockDirectory } from '../sqlite/lock.ts'
import { type Backup, type Header, openBackup, writeBackup } from './file.ts'
import { fill, refuseUnknownSchema } from './fill.ts'
import { BadFile } from './frames.ts'
import { makeAt, nameOf, type Place, settleOnDisk, stillOf } from './place.ts'
import { verifyBackup } from './seals.ts'
import { sourceOf } from './source.ts'
import { type Contents, rowsOf, type Still } from './still.ts'

export { nameOf, type Place } from './place.ts'
export { rowsOf, schemaOf } from './still.ts'

export type Progress = (what: string, done: number, of: number) => void

export interface Copied {
  readonly contents: Contents
  readonly verdict: Verdict
}

/** Who is signed in is not kept: whoever has signed out since must not be signed in by it. */
const notKept = ['session']

/** Writes everything there is at this moment, and reads it again before the file gets its name. */
export async function backUp(place: Place, path: string, progress: Progress): Promise<Copied & { bytes: number }> {
  if (existsSync(path)) throw new Refusal(`${path} is there already, and it is not written over. Name another file.`)
  const partial = `${path}.partial`
  const still = await stillOf(place)
  try {
    const migrations = readMigrations()
    refuseUnknownSchema(still, 'The database', migrations)
    const source = await sourceOf(still, { migrations, without: notKept })
    await withFile(partial, 'w', (file) => writeBackup(file, source, counting('Writing', source, progress)))
    const checked = await checkBackup(partial, progress)
    const bytes = await withFile(partial, 'r', async (file) => (await file.stat()).size)
    await naming(path, () => settleOnDisk(partial, path))
    return { ...checked, bytes }
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {})
    throw error
  } finally {
    await still.close()
  }
}

/** Reads all of a backup: every checksum, every count, every seal of the log in it. */
export const checkBackup = (path: string, progress: Progress): Promise<Copied & { header: Header }> =>
  withBackup(path, progress, async (backup) => ({
    contents: backup.header,
    header: backup.header,
    verdict: await verifyBackup(backup, () => {}),
  }))

/** Makes a store from a backup, checked before the first row is written and again in its new place. */
export const restore = (path: string, place: Place, progress: Progress): Promise<Copied & { header: Header }> =>
  withBackup(path, progress, async (backup) => {
    const { header } = backup
    const migrations = readMigrations()
    refuseUnknownSchema(header, `The backup ${path}`, migrations)
    const verdict = await makeAt(place, (connection, parts, loading) => {
      const onRows = counting('Restoring', header, progress)
      return fill(connection, parts, loading, { ...header, ...backup }, { how: 'restored', migrations, onRows })
    }).catch((error) => refuseFailed(place, error))
    return { contents: header, header, verdict }
  })

/** Carries an estate to another place, from which it goes on as if nothing had happened. Nobody may be at work in the old one. */
export async function move(from: Place, to: Place, progress: Progress): Promise<Copied> {
  const lock = from.databaseUrl ? undefined : lockDirectory(from.dataDir, from.chosenBy)
  try {
    const still = await stillOf(from)
    try {
      await refuseAtWork(still, from)
      const migrations = readMigrations()
      refuseUnknownSchema(still, 'The database', migrations)
      const source = await sourceOf(still, { migrations })
      const verdict = await makeAt(to, (connection, parts, loading) => {
        const onRows = counting('Moving', source, progress)
        return fill(connection, parts, loading, source, { how: 'moved', migrations, onRows })
      }).catch((error) => refuseFailed(to, error))
      return { contents: source, verdict }
    } finally {
      await still.close()
    }
  } finally {
    lock?.release()
  }
}

function counting(what: string, contents: Contents, progress: Progress): (rows: number) => void {
  const of = rowsOf(contents)
  let done = 0
  return (rows) => {
    done += rows
    progress(what, done, of)
  }
}

/** On PostgreSQL whoever serves holds the lease on numbering, or waits for it; it is given back at a stop. */
async function refuseAtWork(still: Still, place: Place): Promise<void> {
  if (still.engine === 'sqlite') return
  for await (const [row] of still.rows(
    'SELECT max(expires) > extract(epoch from clock_timestamp()) * 1000 FROM lease',
  )) {
    if (row?.[0])
      throw new Refusal(`A server is at work in ${nameOf(place)}. Stop it, and wait ten seconds if it was killed.`)
  }
}

async function withBackup<T>(path: string, progress: Progress, use: (backup: Backup) => Promise<T>): Promise<T> {
  return withFile(path, 'r', async (file) => {
    try {
      return await use(await openBackup(file, (header) => counting('Checking', header, progress)))
    } catch (error) {
      if (!(error instanceof BadFile)) throw error
      throw new Refusal(`${path} ${error.message}.`)
    }
  })
}

async function withFile<T>(path: string, mode: 'r' | 'w', use: (file: FileHandle) => Promise<T>): Promise<T> {
  // Only for its owner: secrets of subscriptions are in it.
  const file = await naming(path, () => open(path, mode, 0o600))
  try {
    return await naming(path, () => use(file))
  } finally {
    await file.close()
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk can only be read',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'no larger file is allowed here',
}

/** What the system refuses, as a sentence about the file. */
async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw code in reasons ? new Refusal(`${path} cannot be used: ${reasons[code]}.`) : error
  }
}

function refuseFailed(place: Place, error: unknown): never {
  throw refusalBehind(error) ?? new Refusal(`Nothing was written to ${nameOf(place)}: ${(error as Error).message}.`)
}
