// Checks our dependencies without a network: node scripts/supply.ts licences | advisories [--refresh]
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { type Advisories, fromAudit, verdictOn } from './supply/advisories.ts'
import { isAllowed } from './supply/licences.ts'
import { readLock } from './supply/lock.ts'

const list = 'docs/advisories.json'
const say = (line: string) => process.stdout.write(`${line}\n`)

function licences(): boolean {
  const packages = readLock()
  for (const { name, version, licence, isTool } of packages)
    say(`${licence.padEnd(20)} ${name} ${version}${isTool ? ' (tool)' : ''}`)
  const refused = packages.filter((each) => !isAllowed(each))
  say(`${packages.length} packages; ${refused.length === 0 ? 'all licences are allowed' : 'NOT allowed:'}`)
  for (const { name, licence } of refused) say(`  ${name}: ${licence}`)
  return refused.length === 0
}

function advisories(): boolean {
  const { lines, isFine } = verdictOn(JSON.parse(readFileSync(list, 'utf8')) as Advisories, readLock(), new Date())
  for (const line of lines) say(line)
  return isFine
}

/** The only part that needs the network. */
function refresh(): boolean {
  const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', shell: process.platform === 'win32' })
  const audit = JSON.parse(stdout || '{}')
  if (!audit.vulnerabilities) {
    say(`${list} is as it was, since npm audit did not answer: ${audit.message ?? 'no network'}`)
    return false
  }
  const fresh: Advisories = { fetched: new Date().toISOString().slice(0, 10), advisories: fromAudit(audit) }
  writeFileSync(list, `${JSON.stringify(fresh, null, 2)}\n`)
  return true
}

const [what, flag] = process.argv.slice(2)
const isFresh = flag !== '--refresh' || refresh()
const isFine = what === 'licences' ? licences() : advisories()
process.exitCode = isFine && isFresh ? 0 : 1
