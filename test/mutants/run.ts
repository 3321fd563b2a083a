// npm run mutants: plants each bug in a copy of the tree and runs the tests that must detect it.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyTree, plant } from '../../packages/server/src/testing/planted.ts'
import { type Mutant, mutants } from './mutants.ts'

const [only = ''] = process.argv.slice(2)
const copy = copyTree()
const say = (line: string) => process.stdout.write(`${line}\n`)

const selected = mutants.filter(({ name }) => name.includes(only))
if (selected.length === 0) {
  say(`No mutant has '${only}' in its name.`)
  process.exit(1)
}
let missed = 0
for (const mutant of selected) {
  const restore = plant(copy, mutant)
  const failed = failedTests(mutant)
  restore()
  if (failed.length === 0) missed++
  say(`${failed.length > 0 ? 'caught' : 'NOT CAUGHT'}: ${mutant.name}`)
  for (const test of failed) say(`  by ${test}`)
}
say(missed === 0 ? '\nAll caught.' : `\n${missed} not caught.`)
process.exit(missed === 0 ? 0 : 1)

/** The names of the failing tests, each after its file. */
function failedTests({ tests, named }: Mutant): string[] {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`, ...(named ? ['-t', named] : []), ...tests]
  spawnSync(process.execPath, args, { cwd: copy, stdio: 'ignore' })
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Results
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${name.slice(copy.length + 1)}: ${fullName.trim()}`),
  )
}

interface Results {
  testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[]
}
