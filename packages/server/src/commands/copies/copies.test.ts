import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeStore, openedStores } from '../../testing/harness.ts'
import { progressOfPhases } from '../progress.ts'
import { verifyCommand } from '../verify/verify.ts'
import { backupCommand } from './backup.ts'
import { moveCommand } from './move.ts'
import { restoreCommand } from './restore.ts'

const cases: [(args: string[]) => Promise<void>, string[], RegExp][] = [
  [backupCommand, [], /The file is missing: 'mainline backup FILE'/],
  [backupCommand, ['one', 'two'], /Unexpected argument 'two' for 'mainline backup'/],
  [backupCommand, ['one', '--colour=red'], /'mainline backup' has no flag --colour. Did you mean --/],
  [restoreCommand, [], /The file is missing: 'mainline restore FILE'/],
  [verifyCommand, ['one', 'two'], /Unexpected argument 'two' for 'mainline verify'/],
  [moveCommand, [], /--from is missing: sqlite, sqlite:DIRECTORY or postgres:\/\//],
  [moveCommand, ['--from=sqlite', '--to=mysql://x'], /--to must be .* it is 'mysql:\/\/x'/],
  [moveCommand, ['--from=sqlite', '--to=sqlite'], /are the same./],
  [moveCommand, ['--from=sqlite:', '--to=sqlite'], /--from must be/],
  [moveCommand, ['--from=sqlite', '--to=sqlite:/tmp/x', 'now'], /Unexpected argument 'now' for 'mainline move'/],
]

it('names the flag of a target that exists or a source that does not', async () => {
  const store = await makeStore('sqlite', openedStores())
  const empty = join(store.dataDir, 'empty')
  mkdirSync(empty)
  const place = `sqlite:${store.dataDir}`
  await expect(moveCommand(['--from', place, '--to', 'sqlite', '--data-dir', empty])).resolves.toBeUndefined()
  await expect(moveCommand(['--from', place, '--to', `sqlite:${empty}`])).rejects.toThrow(
    /not overwritten.* with --to\./,
  )
  await expect(moveCommand(['--from', 'sqlite:/nowhere', '--to', place])).rejects.toThrow(/ with --from\./)
  await expect(restoreCommand([join(store.dataDir, 'none'), '--data-dir', empty])).rejects.toThrow(
    /none cannot be used/,
  )
  store.remove()
})

it.each(cases)('refuses invalid arguments (%#)', async (command, args, sentence) => {
  await expect(command(args)).rejects.toThrow(sentence)
})

/** The output of some work, on a terminal or elsewhere. */
function shown(isTTY: boolean): string {
  const parts: string[] = []
  const stream = { isTTY, write: (part: string) => parts.push(part) } as unknown as NodeJS.WriteStream
  const progress = progressOfPhases(stream)
  progress('Writing', 1, 2)
  progress('Writing', 2, 2)
  progress('Checking', 2, 2)
  return parts.join('')
}

it('shows a bar for each phase on a terminal, and few lines elsewhere', () => {
  expect(shown(true)).toMatch(/Writing .*1 of 2\r.*2 of 2\n\rChecking .*2 of 2\n$/s)
  expect(shown(false)).toBe('')
})
