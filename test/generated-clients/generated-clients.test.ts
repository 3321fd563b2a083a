import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { startServer } from '../../packages/server/src/testing/harness.ts'
import { isUnreachable, outside } from '../first-contact/machine.ts'
import { generators, tryOut } from './generators.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-generated-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

it('a client that openapi-typescript generates from the document of each dialect compiles, reads, creates and is refused', async ({
  skip,
}) => {
  const [generator] = generators.filter(({ name }) => name === 'openapi-typescript')
  if (!generator) throw new Error('not among the generators')
  cpSync(join(import.meta.dirname, 'openapi-typescript'), home, { recursive: true })
  // In the versions that its lock file names. It needs a TypeScript before ours, so it is not among our packages.
  const fetched = await promisify(execFile)('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: home,
    env: { ...outside(process.env), npm_config_fetch_retries: '0', npm_config_loglevel: 'error' },
  }).catch((error) => error)
  if (isUnreachable(fetched)) {
    process.stderr.write('skipped: no npm registry answers, so that openapi-typescript cannot be installed\n')
    return skip('no npm registry answers')
  }
  expect(fetched.code ?? 0, fetched.stderr).toBe(0)
  for (const compat of ['document', 'bk-cmdb']) {
    const server = await startServer('sqlite', { flags: [`--compat=${compat}`] })
    try {
      expect(await tryOut(generator, home, server.url)).toEqual(['idle pool', 'generated', 1110008])
    } finally {
      await server.close()
    }
  }
})
