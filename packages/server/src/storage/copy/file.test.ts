import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { configOf, makeStore, type TestStore } from '../../testing/harness.ts'
import { openEngine } from '../index.ts'
import { migrate, readMigrations } from '../migrations/migrate.ts'
import { writeBackup } from './file.ts'
import { backUp, checkBackup, restore } from './index.ts'
import type { Source } from './snapshot.ts'

const silently = () => {}
const home = mkdtempSync(join(tmpdir(), 'mainline-file-'))
const whole = join(home, 'whole')
let store: TestStore
let bytes: Buffer

beforeAll(async () => {
  store = await makeStore('sqlite')
  const engine = await openEngine(configOf(store))
  await migrate(engine, readMigrations())
  await engine.script("INSERT INTO account (name, chain_version, model_version) VALUES ('0', 1, 1), ('other', 1, 1)")
  await backUp(configOf(store), whole, silently)
  await engine.close()
  bytes = readFileSync(whole)
})
afterAll(() => {
  store.remove()
  rmSync(home, { recursive: true, force: true })
})

const check = (content: Buffer, name = 'bad') => {
  const path = join(home, name)
  writeFileSync(path, content)
  return checkBackup(path, silently)
}

it('a backup is readable by its owner only, and begins with a readable line', () => {
  expect(statSync(whole).mode & 0o777).toBe(0o600)
  expect(bytes.subarray(0, 16).toString()).toBe('Mainline backup\n')
})

it('a truncated backup is refused, wherever it was cut off', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
      await expect(check(bytes.subarray(0, length))).rejects.toThrow(/is cut off|is empty|is not a backup/)
    }),
    { numRuns: 60 },
  )
})

it('a backup is refused if any bit was changed, or anything was appended', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      await expect(check(changed)).rejects.toThrow(/is damaged|is cut off|is not a backup/)
    }),
    { numRuns: 100 },
  )
  await expect(check(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toThrow('is cut off')
  await expect(check(Buffer.concat([bytes, bytes.subarray(16)]))).rejects.toThrow('is damaged')
})

const made = async (name: string, source: Source): Promise<string> => {
  const path = join(home, name)
  const file = await open(path, 'w')
  await writeBackup(file, source, silently)
  await file.close()
  return path
}
const nothing: Source = { engine: 'sqlite', steps: [], counters: [], counts: {}, async *portions() {} }

it('a backup is refused if its rows do not match its header', async () => {
  const path = await made('short', { ...nothing, counts: { account: 2 } })
  await expect(checkBackup(path, silently)).rejects.toThrow('says that table account has 2 rows, and has 0')
})

it('a backup is refused if a newer program made it, or one with other migrations', async () => {
  const empty = configOf(await makeStore('sqlite'))
  const steps = readMigrations().map(({ number, name, checksum }) => ({ number, name, checksum, applied_at: 0 }))
  const newer = await made('newer', {
    ...nothing,
    steps: [...steps, { ...steps[0], number: 999 } as (typeof steps)[0]],
  })
  await expect(restore(newer, empty, silently)).rejects.toThrow(/newer has schema 999, and this program knows only \d+/)
  const other = await made('other', { ...nothing, steps: steps.map((step) => ({ ...step, checksum: 'another' })) })
  await expect(restore(other, empty, silently)).rejects.toThrow('its checksum differs')
  rmSync(empty.dataDir, { recursive: true })
})

it('errors of the file system are reported with the path', async () => {
  mkdirSync(join(home, 'directory'))
  copyFileSync(whole, join(home, 'taken'))
  const nowhere = configOf({ ...store, flags: [`--data-dir=${join(home, 'nowhere')}`] })
  await expect(checkBackup(join(home, 'absent'), silently)).rejects.toThrow(
    'absent cannot be used: there is no such file',
  )
  await expect(checkBackup(join(home, 'directory'), silently)).rejects.toThrow('it is a directory')
  await expect(check(Buffer.from('PK\u0003\u0004 something else'))).rejects.toThrow('is not a backup of Mainline')
  await expect(backUp(configOf(store), join(home, 'taken'), silently)).rejects.toThrow('is not overwritten')
  await expect(backUp(configOf(store), join(home, 'no/such'), silently)).rejects.toThrow('there is no such file')
  await expect(backUp(configOf(store), join(whole, 'below'), silently)).rejects.toThrow('is not a directory')
  await expect(backUp(nowhere, join(home, 'new'), silently)).rejects.toThrow('There is no estate of Mainline in')
})
