// The short form: npm reads the lock file, and starts and stops the server of an installed checkout; `npm run test:full` installs the tarball, too.
// The full form, npm run first-contact, installs everything in fresh clones, which takes minutes.
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Envelope } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { freePort } from '../../packages/server/src/testing/servers/postgres.ts'
import { copyCheckout, isUnreachable, linkPackages, type Machine, makeMachine, patienceMs } from './machine.ts'
import { shortVersions } from './versions.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-first-'))
const clone = join(home, 'clone')
let tarball: string
beforeAll(async () => {
  copyCheckout(clone)
  linkPackages(clone)
  if (!isFull) return
  const packed = await promisify(execFile)(process.execPath, ['scripts/pack.ts', join(home, 'packed')])
  tarball = packed.stdout.split('\n')[0] ?? ''
}, patienceMs)
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe.each(shortVersions)(
  'with npm $npm on Node $node',
  (versions) => {
    let machine: Machine | undefined
    beforeAll(async () => {
      machine = await makeMachine(versions, join(home, versions.npm, 'machine')).catch((error) => {
        if (!isUnreachable(error)) throw error
        process.stderr.write(`skipped: no npm registry answers, so that npm ${versions.npm} cannot be tried\n`)
        return undefined
      })
    }, patienceMs)

    it('npm ci accepts the lock file', async ({ skip }) => {
      if (!machine) return skip()
      // In its own folder: npm 9 deletes node_modules even in a dry run.
      const manifests = join(home, versions.npm, 'manifests')
      for (const file of ['package.json', 'package-lock.json', ...globSync('packages/*/package.json')]) {
        cpSync(file, join(manifests, file))
      }
      const { stdout } = await machine.run('npm ci --dry-run --ignore-scripts', manifests)
      expect(stdout).toMatch(/^(added|removed|changed|up to date)/m)
    })

    it('npm start serves the demo estate, and ends when npm gets SIGTERM', async ({ skip }) => {
      if (!machine) return skip()
      const port = await freePort()
      const served = await machine.serve('npm start', clone, port)
      expect(await businesses(port)).toBe(5)
      expect(served.printed()).toContain(join(clone, 'data'))
      expect(await served.stop('SIGTERM', 'process')).toBe(0)
      expect(isGraceful(clone)).toBe(true)
      rmSync(join(clone, 'data'), { recursive: true })
    })

    it('MAINLINE_DEMO=false npm start serves an empty estate, and ends with Ctrl+C', async ({ skip }) => {
      if (!machine) return skip()
      const port = await freePort()
      const served = await machine.serve('env MAINLINE_DEMO=false npm start', clone, port)
      expect(await businesses(port)).toBe(0)
      expect(await served.stop('SIGINT', 'group')).toBe(0)
      rmSync(join(clone, 'data'), { recursive: true })
    })

    // test/packaging.test.ts installs it with the npm that runs the tests.
    it.runIf(isFull)(
      'the package runs on the Node that comes with it, and ends when npx gets SIGTERM',
      async ({ skip }) => {
        if (!machine) return skip()
        const folder = join(home, versions.npm, 'folder')
        mkdirSync(folder)
        await machine.run(`npm install --loglevel=error '${tarball}'`, folder)
        const served = await machine.serve('npx mainline serve', folder, await freePort())
        await served.stop('SIGTERM', 'process')
        expect(isGraceful(folder)).toBe(true)
        // Exit codes pass through the older Node, too.
        await expect(machine.run('node_modules/.bin/mainline dance', folder)).rejects.toMatchObject({ code: 2 })
        rmSync(folder, { recursive: true })
      },
    )
  },
  patienceMs,
)

/** A graceful stop has folded the write-ahead log into the database. */
const isGraceful = (folder: string) => !existsSync(join(folder, 'data/mainline.db-wal'))

async function businesses(port: number): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: '{"fields":["bk_biz_id"]}' }
  const answer = await fetch(`http://127.0.0.1:${port}/api/v3/biz/search/0`, init)
  const { data } = (await answer.json()) as Envelope<{ count: number }>
  return data.count
}

it('an npm that is too old is refused with one sentence, before any work', () => {
  const env = { ...process.env, npm_config_user_agent: 'npm/8.19.4 node/v18.0.0 linux x64' }
  const { status, stderr } = spawnSync(process.execPath, ['scripts/run.cjs', 'none.mjs'], { env, encoding: 'utf8' })
  expect(stderr).toMatch(/^Mainline is installed with npm 9 or newer, and this is npm 8\.19\.4\. .*\n$/)
  expect(status).toBe(1)
})
