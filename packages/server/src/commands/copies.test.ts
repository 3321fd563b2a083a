import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeStore, openedStores } from '../testing/harness.ts'
import { backupCommand } from './backup.ts'
import { moveCommand } from './move.ts'
import { progressOfPhases } from './progress.ts'
import { restoreCommand } from './restore.ts'
import { verifyCommand } from './verify.ts'

const cases: [(args: string[]) => Promise<void>, string[], RegExp][] = [
  [backupCommand, [], /Where to\? 'mainline backup FILE'/],
  [backupCommand, ['one', 'two'], /'two' is too much for 'mainline backup'/],
  [backupCommand, ['one', '--colour=red'], /'mainline backup' has no flag --colour. Did you mean --/],
  [restoreCommand, [], /What\? 'mainline restore FILE'/],
  [verifyCommand, ['one', 'two'], /'two' is too much for 'mainline verify'/],
  [moveCommand, [], /--from must be sqlite, sqlite:DIRECTORY or postgres:\/\/.*it is ''/],
  [moveCommand, ['--from=sqlite', '--to=mysql://x'], /--to must be .* it is 'mysql:\/\/x'/],
  [moveCommand, ['--from=sqlite', '--to=sqlite'], /are the same place/],
  [moveCommand, ['--from=sqlite:', '--to=sqlite'], /--from must be/],
  [moveCommand, ['--from=sqlite', '--to=sqlite:/tmp/x', 'now'], /'now' is too much for 'mainline move'/],
]

it('a place that is taken, or where nothing is, is named with the flag that chose it', async () => {
  const store = await makeStore('sqlite', openedStores())
  const empty = join(store.dataDir, 'empty')
  mkdirSync(empty)
  const place = `sqlite:${store.dataDir}`
  await expect(moveCommand(['--from', place, '--to', 'sqlite', '--data-dir', empty])).resolves.toBeUndefined()
  await expect(moveCommand(['--from', place, '--to', `sqlite:${empty}`])).rejects.toThrow(
    /not written over.* with --to\./,
  )
  await expect(moveCommand(['--from', 'sqlite:/nowhere', '--to', place])).rejects.toThrow(/ with --from\./)
  await expect(restoreCommand([join(store.dataDir, 'none'), '--data-dir', empty])).rejects.toThrow(
    /none cannot be used/,
  )
  store.remove()
})

it.each(cases)('refuses what it does not understand (%#)', async (command, args, sentence) => {
  await expect(command(args)).rejects.toThrow(sentence)
})

/** What is shown of some work, on a terminal or not. */
function shown(isTTY: boolean): string {
  const parts: string[] = []
  const stream = { isTTY, write: (part: string) => parts.push(part) } as unknown as NodeJS.WriteStream
  const progress = progressOfPhases(stream)
  progress('Writing', 1, 2)
  progress('Writing', 2, 2)
  progress('Checking', 2, 2)
  return parts.join('')
}

it('shows a bar for each phase on a terminal, and not a flood of lines elsewhere', () => {
  expect(shown(true)).toMatch(/Writing .*1 of 2\r.*2 of 2\n\rChecking .*2 of 2\n$/s)
  expect(shown(false)).toBe('')
})
