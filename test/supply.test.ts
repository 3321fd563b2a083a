import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { concerning, fromAudit, isWithin, verdictOn } from '../scripts/supply/advisories.ts'
import { isAllowed } from '../scripts/supply/licences.ts'
import { licenceOnDisk, readLock } from '../scripts/supply/lock.ts'

const packages = readLock()
const ours = ['.', 'packages/client', 'packages/console', 'packages/contract', 'packages/server']

it('depends only on what may be used, under the licence that the lock file names', () => {
  expect(packages.length).toBeGreaterThan(100)
  expect(packages.filter((each) => !isAllowed(each))).toEqual([])
  for (const { path, licence } of packages) expect(licenceOnDisk(path) ?? licence, path).toBe(licence)
})

it('would notice another licence', () => {
  const tool = { isTool: true }
  expect(isAllowed({ licence: 'GPL-3.0-only', ...tool })).toBe(false)
  expect(isAllowed({ licence: '(MIT OR GPL-3.0-only)', ...tool })).toBe(true)
  expect(isAllowed({ licence: 'MIT AND GPL-3.0-only', ...tool })).toBe(false)
  expect(isAllowed({ licence: 'MPL-2.0', ...tool })).toBe(true)
  expect(isAllowed({ licence: 'MPL-2.0', isTool: false })).toBe(false)
  expect(isAllowed({ licence: 'unknown', ...tool })).toBe(false)
})

it('installs the same everywhere: exact versions, a checksum for each package, no server named', () => {
  for (const { path, integrity, resolved } of packages) {
    expect(integrity, path).toMatch(/^sha512-/)
    expect(resolved, path).toBeUndefined()
  }
  for (const folder of ours) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(`${folder}/package.json`, 'utf8'),
    )
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
    }
  }
})

it('finds the packages that an advisory is about', () => {
  expect(isWithin('1.2.3', '<1.2.4')).toBe(true)
  expect(isWithin('1.2.4', '<1.2.4')).toBe(false)
  expect(isWithin('10.0.0', '>=9.1.0 <10.0.1 || =11.0.0')).toBe(true)
  expect(isWithin('11.0.1', '>=9.1.0 <10.0.1 || =11.0.0')).toBe(false)
  expect(isWithin('2.0.0-beta.1', '1.0.0 - 2.0.0')).toBe(true)
  expect(isWithin('2.0.0', '<2.0.0-beta.1')).toBe(false)
  expect(isWithin('0.0.1', '*')).toBe(true)
  const said = { name: 'fastify', range: '<99.0.0', severity: 'high', title: 'made up', url: 'https://example.org' }
  const list = fromAudit({ vulnerabilities: { fastify: { via: [said, 'pg'] } } })
  expect(concerning(list, packages)).toEqual([expect.objectContaining({ package: 'fastify', title: 'made up' })])
  expect(
    concerning(
      list,
      packages.filter((each) => each.name !== 'fastify'),
    ),
  ).toEqual([])
})

it('says as of when it knows of advisories, and does not call it well when it knows nothing', () => {
  const today = new Date('2026-11-16')
  const told = (fetched: string | null, range = '<0.0.1') =>
    verdictOn(
      { fetched, advisories: [{ package: 'fastify', range, severity: 'high', title: 'made up', url: 'x' }] },
      packages,
      today,
    )
  expect(told('2026-11-14')).toEqual({
    lines: [expect.stringMatching(/^0 known as of 2026-11-14, 2 days/)],
    isFine: true,
  })
  expect(told('2026-11-14', '*')).toMatchObject({
    lines: [expect.stringMatching(/^high: fastify/), expect.any(String)],
    isFine: false,
  })
  expect(told('2026-01-01')).toMatchObject({ lines: [expect.stringContaining('too long')], isFine: false })
  expect(told(null)).toMatchObject({ lines: [expect.stringContaining('nothing is known')], isFine: false })
})

/** What only a secret looks like. */
const secrets: Record<string, RegExp> = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'a key of a cloud': /\b(AKIA|ASIA)[0-9A-Z]{16}\b/,
  'a token of a code host': /\b(gh[pousr]_[A-Za-z0-9]{36}|glpat-[\w-]{20}|npm_[A-Za-z0-9]{36})\b/,
  'a token of a chat': /\bxox[abprs]-[\w-]{10,}/,
  'a token of ours': /\bml_\d+_[\w-]{43}\b/,
  'a signed token': /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/,
  'a secret of a subscription': /\bwhsec_[A-Za-z0-9+/]{40,}/,
  'a password in an address': /\b[a-z]+:\/\/[\w-]+:[^@\s/'"`*$]{6,}@(?!127\.0\.0\.1|example\.|\$)[\w.-]+/,
}
/** Made for tests and worth nothing elsewhere. */
const known = ['packages/server/src/testing/self-signed.ts']

it('keeps no secret in the tree', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file && existsSync(file) && statSync(file).isFile() && statSync(file).size < 2_000_000)
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return Object.entries(secrets).flatMap(([what, pattern]) => (pattern.test(text) ? [`${file}: ${what}`] : []))
  })
  expect(found.filter((each) => !known.some((file) => each.startsWith(file)))).toEqual([])
})
