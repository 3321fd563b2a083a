import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openService } from '../../../service.ts'
import { configOf, makeStore, silent } from '../../../testing/harness.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

it.skipIf(process.platform === 'win32')(
  'no other user can read the files of a data directory, or hold its lock',
  async () => {
    const parent = mkdtempSync(join(tmpdir(), 'mainline-test-'))
    const dataDir = join(parent, 'new')
    const store = { ...(await makeStore('sqlite')), dataDir, flags: [`--data-dir=${dataDir}`] }
    await (await openService(configOf(store), silent)).close()
    expect(modeOf(dataDir)).toBe('700')
    // As created by earlier versions.
    for (const file of readdirSync(dataDir)) chmodSync(join(dataDir, file), 0o644)
    const service = await openService(configOf(store), silent)
    const files = readdirSync(dataDir).filter((file) => /\.db/.test(file))
    expect(files).toEqual(expect.arrayContaining(['lock.db', 'mainline.db', 'mainline.db-wal']))
    for (const file of files) expect([file, modeOf(join(dataDir, file))]).toEqual([file, '600'])
    await service.close()
    rmSync(parent, { recursive: true })
  },
)
