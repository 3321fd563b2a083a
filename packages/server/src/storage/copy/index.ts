// Backup, restore, and move to the other engine.

import { existsSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { messageOf } from '../../common/error-code.ts'
import { fileFault } from '../../common/file-fault.ts'
import { Refusal, refusalBehind } from '../../common/refusal.ts'
import type { Verdict } from '../log/verify.ts'
import { readMigrations } from '../migrations/migrate.ts'
import type { Proofs } from '../seals/attest.ts'
import type { Signer } from '../seals/signer.ts'
import { lockDirectory } from '../sqlite/file/lock.ts'
import { type Backup, type Header, openBackup, writeBackup } from './file.ts'
import { fill, refuseUnknownSchema } from './fill.ts'
import { BadFile } from './frames.ts'
import { makeAt, type StoreLocation, settleOnDisk, snapshotOf, storeName } from './place.ts'
import { verifyBackup } from './seals.ts'
import { type Contents, type StoreSnapshot, tableRows } from './snapshot.ts'
import { sourceOf } from './source.ts'

export { type StoreLocation, storeName } from './place.ts'
export { schemaOf, tableRows } from './snapshot.ts'

export type Progress = (what: string, done: number, of: number) => void

interface Copied {
  readonly contents: Contents
  readonly verdict: Verdict
}

/** Sessions are not backed up: a restore must not sign users in again who have signed out since. */
const notKept = ['session']

/** Writes a snapshot of the store to a file, and verifies the file before giving it its final name. */
export async function backUp(
  place: StoreLocation,
  path: string,
  progress: Progress,
): Promise<Copied & { bytes: number }> {
  if (existsSync(path)) throw new Refusal(`${path} already exists and is not overwritten. Choose another file.`)
  const partial = `${path}.partial`
  const snapshot = await snapshotOf(place)
  try {
    const migrations = readMigrations()
    refuseUnknownSchema(snapshot, 'The database', migrations)
    const source = await sourceOf(snapshot, { migrations, without: notKept })
    await withFile(partial, 'w', (file) => writeBackup(file, source, counting('Writing', source, progress)))
    const checked = await checkBackup(partial, progress)
    const bytes = await withFile(partial, 'r', async (file) => (await file.stat()).size)
    await naming(path, () => settleOnDisk(partial, path))
    return { ...checked, bytes }
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {})
    throw error
  } finally {
    await snapshot.close()
  }
}

/** Verifies a backup: checksums, row counts and the seals of its log. */
export const checkBackup = (path: string, progress: Progress, proofs?: Proofs): Promise<Copied & { header: Header }> =>
  withBackup(path, progress, async (backup) => ({
    contents: backup.header,
    header: backup.header,
    verdict: await verifyBackup(backup, () => {}, proofs),
  }))

/** Restores a backup, which is verified before the first row is written; the log is verified again in the new store. */
export const restore = (
  path: string,
  place: StoreLocation,
  progress: Progress,
  signer?: Signer,
): Promise<Copied & { header: Header }> =>
  withBackup(path, progress, async (backup) => {
    const { header } = backup
    const migrations = readMigrations()
    refuseUnknownSchema(header, `The backup ${path}`, migrations)
    const verdict = await makeAt(place, (connection, parts, loading) => {
      const onRows = counting('Restoring', header, progress)
      return fill(connection, parts, loading, { ...header, ...backup }, { how: 'restored', migrations, onRows, signer })
    }).catch((error) => refuseFailed(place, error))
    return { contents: header, header, verdict }
  })

/** Moves a store to another place or engine, with the same ids and history. No server may be running on the old one. */
export async function move(from: StoreLocation, to: StoreLocation, progress: Progress): Promise<Copied> {
  const lock = from.databaseUrl ? undefined : lockDirectory(from.dataDir, from.chosenBy)
  try {
    const snapshot = await snapshotOf(from)
    try {
      await refuseAtWork(snapshot, from)
      const migrations = readMigrations()
      refuseUnknownSchema(snapshot, 'The database', migrations)
      const source = await sourceOf(snapshot, { migrations })
      const verdict = await makeAt(to, (connection, parts, loading) => {
        const onRows = counting('Moving', source, progress)
        return fill(connection, parts, loading, source, { how: 'moved', migrations, onRows })
      }).catch((error) => refuseFailed(to, error))
      return { contents: source, verdict }
    } finally {
      await snapshot.close()
    }
  } finally {
    lock?.release()
  }
}

function counting(what: string, contents: Contents, progress: Progress): (rows: number) => void {
  const of = tableRows(contents)
  let done = 0
  return (rows) => {
    done += rows
    progress(what, done, of)
  }
}

/**
 * A server that numbers the log holds a lease and releases it when it stops; an idle one only reads, every few seconds. Its sessions are
 * judged by their last statement, because a pooler keeps them open.
 */
async function refuseAtWork(snapshot: StoreSnapshot, place: StoreLocation): Promise<void> {
  if (snapshot.engine === 'sqlite') return
  for await (const [row] of snapshot.rows(
    `SELECT (SELECT max(expires) FROM lease) > extract(epoch FROM clock_timestamp()) * 1000 OR EXISTS (
       SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mainline'
         AND pid <> pg_backend_pid() AND coalesce(state_change, now()) > clock_timestamp() - interval '10 seconds')`,
  )) {
    if (row?.[0])
      throw new Refusal(
        `A server is running on ${storeName(place)}. Stop it, and wait ten seconds if it was killed or has used a pooler.`,
      )
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
  // Readable by its owner only: the file contains secrets of subscriptions.
  const file = await naming(path, () => open(path, mode, 0o600))
  try {
    return await naming(path, () => use(file))
  } finally {
    await file.close()
  }
}

/** Translates errors of the file system into a refusal that names the file. */
async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = fileFault(error)
    throw fault === undefined ? error : new Refusal(`${path} cannot be used: ${fault}.`)
  }
}

function refuseFailed(place: StoreLocation, error: unknown): never {
  throw refusalBehind(error) ?? new Refusal(`Nothing was written to ${storeName(place)}: ${messageOf(error)}.`)
}
