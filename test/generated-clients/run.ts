// npm run generated-clients: every generator on the documents of both dialects. Its packages are fetched into a temporary folder: they
// need another TypeScript than ours, and are 200 packages. npm test does the same with openapi-typescript alone.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { spawnServer } from '../../packages/server/src/testing/process.ts'
import { generators, tryOut } from './generators.ts'

const expected = ['idle pool', 'generated', 1110008]
for (const generator of generators) {
  const home = mkdtempSync(join(tmpdir(), 'mainline-generated-'))
  writeFileSync(join(home, 'package.json'), '{}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...generator.packages], { cwd: home })
  for (const compat of ['document', 'bk-cmdb']) {
    const flags = [`--data-dir=${join(home, `data-${compat}`)}`]
    const server = await spawnServer({ flags }, [`--compat=${compat}`])
    const printed = await tryOut(generator, home, server.url).catch((error) => error)
    await server.end('SIGTERM')
    const isRight = isDeepStrictEqual(printed, expected)
    if (!isRight) process.exitCode = 1
    process.stdout.write(`${generator.name}, ${compat}: ${isRight ? 'right' : printed}\n`)
  }
  rmSync(home, { recursive: true, force: true })
}
