// npm run lint:openapi: the API documents of both dialects under Redocly's recommended rules and Spectral's spectral:oas.
// Fetched with npx and not among our dependencies: Spectral alone is 242 packages, 69 MB. `npm test` validates the documents with Ajv.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpointsIn } from '../packages/server/src/commands/openapi.ts'
import { readConfig } from '../packages/server/src/common/config.ts'
import { dialectOf } from '../packages/server/src/compat/bk-cmdb.ts'
import { openApi } from '../packages/server/src/docs/openapi/openapi.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-lint-'))
const run = (args: string[]) => spawnSync('npx', ['--yes', ...args], { cwd: home, stdio: 'inherit' }).status === 0

writeFileSync(join(home, 'rules.yaml'), 'extends: ["spectral:oas"]\n')
const passed = ['document', 'bk-cmdb'].map((compat) => {
  const file = `${compat}.json`
  const dialect = dialectOf(readConfig([`--compat=${compat}`], {}))
  writeFileSync(join(home, file), JSON.stringify(openApi(endpointsIn(dialect), dialect), null, 2))
  const redocly = run(['@redocly/cli@2', 'lint', file, '--format=summary'])
  const spectral = run(['@stoplight/spectral-cli@6', 'lint', file, '--ruleset', 'rules.yaml'])
  return redocly && spectral
})
rmSync(home, { recursive: true, force: true })
process.exitCode = passed.every(Boolean) ? 0 : 1
