import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Refusal, refusalBehind } from '../../common/refusal.ts'
import { makeStore, openedStores, type TestStore } from '../../testing/harness.ts'
import { damagePageOf, damages, emptyIndex } from '../../testing/inspect/damage.ts'
import { entry, runCommand } from '../../testing/process.ts'
import { serverCommands } from '../catalogue.ts'

async function storeOnce(): Promise<TestStore> {
  const store = await makeStore('sqlite', openedStores())
  onTestFinished(() => store.remove())
  return store
}

const databaseOf = ({ dataDir }: TestStore) => join(dataDir, 'mainline.db')

/** Every command that opens the file, as invoked. */
function callsIn(scratch: string): string[][] {
  const expectations = join(scratch, 'expectations.yaml')
  writeFileSync(expectations, 'expect:\n  - amy may search_set in Payments\n')
  return [
    ['serve', '--log-level=silent'],
    ['verify'],
    ['backup', join(scratch, 'file')],
    ['migrate'],
    ['demo'],
    ['token', 'list'],
    ['move', '--from=sqlite', `--to=sqlite:${join(scratch, 'other')}`],
    ['privileges', 'test', expectations],
  ]
}

/** The result of a command, run in this process. */
async function refused([name = '', ...args]: string[], store: TestStore): Promise<unknown> {
  const run = await serverCommands[name]?.load()
  return run?.([...args, `--data-dir=${store.dataDir}`]).then(
    () => undefined,
    (error: unknown) => refusalBehind(error) ?? error,
  )
}

it.each(Object.entries(damages))(
  '%s: every command says what is wrong and what to do',
  async (_kind, { make, said }) => {
    const scratch = mkdtempSync(join(tmpdir(), 'mainline-damage-'))
    onTestFinished(() => rmSync(scratch, { recursive: true }))
    const store = await storeOnce()
    make(databaseOf(store))
    for (const call of callsIn(scratch)) {
      const found = await refused(call, store)
      expect(found, call.join(' ')).toBeInstanceOf(Refusal)
      expect((found as Refusal).message).toMatch(said)
      expect((found as Refusal).message).toMatch(
        /mainline restore FILE --data-dir|Move it away|Choose another directory/,
      )
    }
  },
)

it('one sentence on stderr, no stack trace, exit code 1', async () => {
  const store = await storeOnce()
  damagePageOf(databaseOf(store), 'log')
  const { code, output } = await runCommand(['serve', ...store.flags])
  expect(code).toBe(1)
  expect(output).toMatch(
    /^The database \S+mainline\.db is damaged: .* Keep a copy .*'mainline restore FILE --data-dir DIRECTORY'\.\n$/,
  )
})

it('a file that this user may not read or write', async () => {
  const store = await storeOnce()
  chmodSync(databaseOf(store), 0o000)
  // Root can read every file, unless it drops these capabilities.
  const overrides = '-dac_override,-dac_read_search'
  const limited = ['setpriv', `--bounding-set=${overrides}`, `--inh-caps=${overrides}`]
  const becoming = process.getuid?.() === 0 ? limited : ['env']
  for (const [command, may] of [
    ['verify', 'read'],
    ['migrate', 'read and write'],
  ] as const) {
    const [program = '', ...words] = [...becoming, process.execPath, entry, command, ...store.flags]
    const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' })
    expect(stdout + stderr).toBe(
      `This user may not ${may} ${databaseOf(store)}. Run as the user who owns it, or change its owner with chown.\n`,
    )
    expect(status).toBe(1)
  }
})

it('verify detects an index that lacks rows of its table, and a backup of it can be restored', async () => {
  const store = await storeOnce()
  const scratch = mkdtempSync(join(tmpdir(), 'mainline-damage-'))
  onTestFinished(() => rmSync(scratch, { recursive: true }))
  emptyIndex(databaseOf(store), 'business_living_name')
  expect(String(await refused(['verify'], store))).toMatch(
    /Indexes of the database .* are damaged, its tables are not: .*index business_living_name.*mainline backup FILE/,
  )
  const file = join(scratch, 'saved')
  expect(await refused(['backup', file], store)).toBeUndefined()
  const fresh = { ...store, dataDir: join(scratch, 'fresh') }
  expect(await refused(['restore', file], fresh)).toBeUndefined()
  expect(await refused(['verify'], fresh)).toBeUndefined()
})

it('an invalid lock file', async () => {
  const store = await storeOnce()
  writeFileSync(join(store.dataDir, 'lock.db'), 'x'.repeat(5_000))
  expect(String(await refused(['migrate'], store))).toMatch(
    /lock\.db is not a lock .* Remove it while no Mainline uses/,
  )
})
