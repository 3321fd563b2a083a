// Stores the data of an older release for upgrade tests: node scripts/keep-schema.ts REF runs the program of that commit with its demo estate, and
// writes all rows as text under the number of its schema.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schemaOf } from '../packages/server/src/storage/copy/index.ts'
import { snapshotOf } from '../packages/server/src/storage/copy/place.ts'
import { sourceOf } from '../packages/server/src/storage/copy/source.ts'
import { keptSchema, writeKept } from '../packages/server/src/testing/kept-schemas.ts'
import { checkOut } from './check-out.ts'

const [ref] = process.argv.slice(2)
if (!ref) throw new Error('Which commit? node scripts/keep-schema.ts REF')
const home = mkdtempSync(join(tmpdir(), 'mainline-old-'))
try {
  mkdirSync(join(home, 'program'))
  checkOut(ref, join(home, 'program'))
  const dataDir = join(home, 'data')
  const demo = ['packages/server/bin/mainline.mjs', 'demo', '--hosts=12', `--data-dir=${dataDir}`]
  execFileSync(process.execPath, demo, { cwd: join(home, 'program'), stdio: 'inherit' })
  const still = await snapshotOf({ databaseUrl: '', dataDir, connections: 2, queueTimeMs: 10_000 })
  const source = await sourceOf(still)
  const file = keptSchema(schemaOf(source))
  writeFileSync(file, await writeKept(source))
  await still.close()
  process.stdout.write(`${file}\n`)
} finally {
  rmSync(home, { recursive: true })
}
