import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { rowsOf } from '../../connection.ts'
import { openDatabase } from '../database.ts'
import { Checkpoints } from './checkpoints.ts'

const mebibyte = 2 ** 20

/** A database whose checkpoints run on a second connection, as in the thread of the server. */
function open() {
  const directory = mkdtempSync(join(tmpdir(), 'mainline-checkpoints-'))
  const path = join(directory, 'some.db')
  const writer = openDatabase(path, 'write')
  const mover = openDatabase(path, 'write')
  onTestFinished(() => {
    writer.close()
    mover.close()
    rmSync(directory, { recursive: true })
  })
  writer.script('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; CREATE TABLE some (bytes BLOB)')
  const moves: string[] = []
  const checkpoints = new Checkpoints(writer, () => ({
    async query(sql, parameters) {
      moves.push(sql)
      await nextTurn()
      return mover.query(sql, parameters)
    },
    script() {},
  }))
  const logPages = () => {
    const [state] = rowsOf<{ log: number }>(writer.query('PRAGMA wal_checkpoint(NOOP)', []).rows)
    return state?.log ?? 0
  }
  const write = (mebibytes: number) => {
    writer.query('INSERT INTO some VALUES (zeroblob(?))', [mebibytes * mebibyte])
    return checkpoints.afterCommit()
  }
  return { path, moves, write, logPages }
}

it('moves pages while changes go on, and makes changes wait only once the log is large', async () => {
  const { moves, write, logPages } = open()
  expect(write(1)).toBeUndefined()
  expect(moves).toHaveLength(0)
  expect(write(4)).toBeUndefined()
  expect(write(4)).toBeUndefined()
  expect(moves).toHaveLength(1)
  const wait = write(8)
  expect(wait).toBeInstanceOf(Promise)
  await wait
  expect(moves).toHaveLength(2)
  // The next change starts at the beginning of the log.
  write(1)
  expect(logPages()).toBeLessThan(500)
})

it('does not make changes wait again and again while a long read needs the log', async () => {
  const { path, moves, write } = open()
  const reader = openDatabase(path, 'read')
  reader.script('BEGIN')
  reader.query('SELECT count(*) FROM some', [])
  await write(17)
  const before = moves.length
  expect(write(1)).toBeUndefined()
  const later = write(17)
  expect(later).toBeInstanceOf(Promise)
  reader.script('COMMIT')
  reader.close()
  await later
  expect(moves.length).toBeGreaterThan(before)
})
