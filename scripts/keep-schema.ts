// Keeps what an older program wrote, for the tests of upgrading: node scripts/keep-schema.ts REF
// The program of that commit fills a store with its demo estate; all of it is written as text under the number of its schema.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { schemaOf } from '../packages/server/src/platform/storage/copy/index.ts'
import { stillOf } from '../packages/server/src/platform/storage/copy/place.ts'
import { sourceOf } from '../packages/server/src/platform/storage/copy/source.ts'
import { keptSchema, writeKept } from '../packages/server/src/testing/kept-schemas.ts'

const [ref] = process.argv.slice(2)
if (!ref) throw new Error('Which commit? node scripts/keep-schema.ts REF')
const home = mkdtempSync(join(tmpdir(), 'mainline-old-'))
try {
  checkOut(ref, join(home, 'program'))
  const dataDir = join(home, 'data')
  const demo = ['packages/server/bin/mainline.mjs', 'demo', '--hosts=12', `--data-dir=${dataDir}`]
  execFileSync(process.execPath, demo, { cwd: join(home, 'program'), stdio: 'inherit' })
  const still = await stillOf({ databaseUrl: '', dataDir, connections: 2 })
  const source = await sourceOf(still)
  const file = keptSchema(schemaOf(source))
  writeFileSync(file, await writeKept(source))
  await still.close()
  process.stdout.write(`${file}\n`)
} finally {
  rmSync(home, { recursive: true })
}

/** Its own packages from the commit, those of others as they are installed here. */
function checkOut(commit: string, into: string): void {
  mkdirSync(join(into, 'node_modules/@mainline'), { recursive: true })
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 1e9 })
  execFileSync('tar', ['x', '-C', into], { input: archive })
  for (const name of readdirSync('node_modules').filter((each) => each !== '@mainline')) {
    symlinkSync(resolve('node_modules', name), join(into, 'node_modules', name))
  }
  for (const name of readdirSync(join(into, 'packages'))) {
    symlinkSync(join(into, 'packages', name), join(into, 'node_modules/@mainline', name))
  }
}
