import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findSets, makeBusiness, setBody } from '../packages/server/src/testing/data/factories.ts'
import { makeStore } from '../packages/server/src/testing/harness.ts'
import { runCommand, type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'
import { checkOut, copyProgram } from '../scripts/check-out.ts'

const migrations = 'packages/server/migrations'
const entryIn = (program: string) => join(program, 'packages/server/bin/mainline.mjs')

let program: string
beforeEach(() => {
  program = mkdtempSync(join(tmpdir(), 'mainline-program-'))
})
afterEach(() => rmSync(program, { recursive: true }))

/** Creates sets sequentially until stopped. */
function startCreating(server: ServerProcess, business: number, prefix: string) {
  let made = 0
  let isStopping = false
  const refused: { code: number; message: string | null }[] = []
  const running = (async () => {
    for (let nth = 0; !isStopping; nth++) {
      const body = setBody(business, { bk_set_name: `${prefix} ${nth}` })
      const answer = await server.call('POST', `/set/${business}`, body)
      if (answer.result) made++
      else refused.push({ code: answer.bk_error_code, message: answer.bk_error_msg })
    }
  })()
  return {
    made: () => made,
    refused: () => refused,
    async stop() {
      isStopping = true
      await running
    },
  }
}

/** Two releases of the program; one starts while the other is under load. */
async function upgradeUnderLoad(older: string, newer: string, goesOn: boolean): Promise<void> {
  const store = await makeStore('postgres')
  const flags = ['--connections=4']
  const old = await spawnServer(store, flags, {}, entryIn(older))
  const business = await makeBusiness(old)
  const byOld = startCreating(old, business, 'old')
  await expect.poll(byOld.made).toBeGreaterThan(10)
  expect(byOld.refused()).toEqual([])

  const next = await spawnServer(store, flags, {}, entryIn(newer))
  const byNext = startCreating(next, business, 'next')
  await expect.poll(byNext.made).toBeGreaterThan(10)
  const beside = byOld.made()
  await expect.poll(byNext.made).toBeGreaterThan(30)
  if (goesOn) await expect.poll(byOld.made).toBeGreaterThan(beside + 10)
  // Reads work during any migration.
  expect((await findSets(old, business, { default: 0 })).result).toBe(true)
  await Promise.all([byOld.stop(), byNext.stop()])

  expect(byNext.refused()).toEqual([])
  if (goesOn) expect(byOld.refused()).toEqual([])
  for (const { code } of byOld.refused()) expect(code).toBe(1199503)
  expect((await findSets(next, business, { default: 0 })).data.count).toBe(byOld.made() + byNext.made())
  for (const server of [old, next]) expect(await server.end('SIGTERM')).toBe(0)
  expect(await runCommand(['verify', ...store.flags])).toMatchObject({ code: 0 })
  store.remove()
}

it('beside a release with a compatible migration, the current one continues to make changes', async () => {
  copyProgram(program)
  const tables = ['log', 'log_head', 'account', 'business', 'node', 'delivery', 'lease']
  const added = tables.map((table) => `ALTER TABLE ${table} ADD COLUMN later {text} NOT NULL DEFAULT '';`)
  const index = '-- compatible: yes\nconcurrently: CREATE INDEX log_by_later ON log (later);\n'
  writeFileSync(join(program, migrations, '9998_columns.sql'), ['-- compatible: yes', ...added, ''].join('\n'))
  writeFileSync(join(program, migrations, '9999_index.sql'), index)
  await upgradeUnderLoad('.', program, true)
})

/**
 * The last commit without the newest migration: the program that is being upgraded from. With a single migration there is no older one, so the last
 * commit runs beside the working tree.
 */
function previousRelease(): string {
  const steps = readdirSync(migrations).sort()
  const newest = steps.at(-1)
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? ''
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', `${migrations}/${newest}`)
  const release = added === '' || steps.length === 1 ? 'HEAD' : `${added}~1`
  return git('rev-parse', '--quiet', '--verify', `${release}^{commit}`)
}

it('beside the current one, the previous release continues to make changes, unless the schema forbids it', async ({
  skip,
}) => {
  const release = previousRelease()
  if (release === '') {
    const why = 'the history of the repository is needed to run the release before'
    process.stderr.write(`skipped: ${why}\n`)
    return skip(why)
  }
  checkOut(release, program)
  const isThere = (file: string) => existsSync(join(program, migrations, file))
  const unknown = readdirSync(migrations).filter((file) => !isThere(file))
  const isCompatible = (file: string) => readFileSync(join(migrations, file), 'utf8').includes('-- compatible: yes\n')
  await upgradeUnderLoad(program, '.', unknown.every(isCompatible))
})
