// npm run mutants: plants each bug in a copy of the tree and runs the tests that must detect it.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Mutant, mutants } from './mutants.ts'

const root = resolve(import.meta.dirname, '../..')
const [only = ''] = process.argv.slice(2)
const copy = makeCopy()
process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
const say = (line: string) => process.stdout.write(`${line}\n`)

const selected = mutants.filter(({ name }) => name.includes(only))
if (selected.length === 0) {
  say(`No mutant has '${only}' in its name.`)
  process.exit(1)
}
let missed = 0
for (const mutant of selected) {
  const whole = readFileSync(join(copy, mutant.file), 'utf8')
  writeFileSync(join(copy, mutant.file), mutated(mutant, whole))
  const failed = failedTests(mutant)
  writeFileSync(join(copy, mutant.file), whole)
  if (failed.length === 0) missed++
  say(`${failed.length > 0 ? 'caught' : 'NOT CAUGHT'}: ${mutant.name}`)
  for (const test of failed) say(`  by ${test}`)
}
say(missed === 0 ? '\nAll caught.' : `\n${missed} not caught.`)
process.exit(missed === 0 ? 0 : 1)

/** Tracked and new files, and the installed packages; our own packages are those of the copy. */
function makeCopy(): string {
  const home = mkdtempSync(join(tmpdir(), 'mainline-mutants-'))
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of listed.split('\n').filter(Boolean)) cpSync(join(root, file), join(home, file), { force: true })
  mkdirSync(join(home, 'node_modules/@mainline'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== '@mainline')) {
    symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name))
  }
  for (const name of readdirSync(join(root, 'node_modules/@mainline'))) {
    symlinkSync(join(home, 'packages', name), join(home, 'node_modules/@mainline', name))
  }
  return home
}

function mutated({ name, file, edits }: Mutant, whole: string): string {
  return edits.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`${name}: ${file} does not have this exactly once:\n${from}`)
    return text.replace(from, () => to)
  }, whole)
}

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
