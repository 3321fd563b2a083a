import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { concerning, fromAudit, isWithin, verdictOn } from '../scripts/supply/advisories.ts'
import { isAllowed } from '../scripts/supply/licences.ts'
import { licenceOnDisk, readLock } from '../scripts/supply/lock.ts'

const packages = readLock()
const ours = ['.', 'packages/client', 'packages/console', 'packages/contract', 'packages/server']

it('depends only on packages with an acceptable licence, as named in the lock file', () => {
  expect(packages.length).toBeGreaterThan(100)
  expect(packages.filter((each) => !isAllowed(each))).toEqual([])
  for (const { path, licence } of packages) expect(licenceOnDisk(path) ?? licence, path).toBe(licence)
})

it('detects another licence', () => {
  const tool = { isTool: true }
  expect(isAllowed({ licence: 'GPL-3.0-only', ...tool })).toBe(false)
  expect(isAllowed({ licence: '(MIT OR GPL-3.0-only)', ...tool })).toBe(true)
  expect(isAllowed({ licence: 'MIT AND GPL-3.0-only', ...tool })).toBe(false)
  expect(isAllowed({ licence: 'MPL-2.0', ...tool })).toBe(true)
  expect(isAllowed({ licence: 'MPL-2.0', isTool: false })).toBe(false)
  expect(isAllowed({ licence: 'unknown', ...tool })).toBe(false)
})

it('installs are reproducible: exact versions, a checksum for each package, no registry named', () => {
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

it('has one version everywhere', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { version: locked, packages: all } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  expect(locked).toBe(version)
  for (const folder of ours) {
    const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
    expect([folder, manifest.version, all[folder === '.' ? '' : folder].version]).toEqual([folder, version, version])
    for (const [name, needed] of Object.entries(manifest.dependencies ?? {})) {
      if (name.startsWith('@mainline/')) expect([folder, name, needed]).toEqual([folder, name, version])
    }
  }
  expect(JSON.parse(readFileSync('docs/openapi.json', 'utf8')).info.version).toBe(version)
  const [, released] = /^## (\S+) \(\d{4}-\d\d-\d\d\)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? []
  expect(released).toBe(version)
  expect(readFileSync('packages/python/pyproject.toml', 'utf8')).toContain(`\nversion = "${version}"\n`)
  expect(readFileSync('integrations/ansible_collections/mainline/cmdb/galaxy.yml', 'utf8')).toContain(
    `\nversion: ${version}\n`,
  )
  for (const page of ['docs/guides/install.md', 'packages/client/README.md', 'packages/python/README.md']) {
    const written = readFileSync(page, 'utf8').matchAll(/mainline[-_]\w+-(\d\S*?)(?:\.tgz|-py3-none-any\.whl)/g)
    const named = [...written].map(([, each]) => each)
    expect([page, new Set(named)]).toEqual([page, new Set([version])])
  }
})

it('finds the packages that an advisory applies to', () => {
  expect(isWithin('1.2.3', '<1.2.4')).toBe(true)
  expect(isWithin('1.2.4', '<1.2.4')).toBe(false)
  expect(isWithin('10.0.0', '>=9.1.0 <10.0.1 || =11.0.0')).toBe(true)
  expect(isWithin('11.0.1', '>=9.1.0 <10.0.1 || =11.0.0')).toBe(false)
  expect(isWithin('2.0.0-beta.1', '1.0.0 - 2.0.0')).toBe(true)
  expect(isWithin('2.0.0', '<2.0.0-beta.1')).toBe(false)
  expect(isWithin('1.0.0-beta.10', '>1.0.0-beta.9')).toBe(true)
  expect(isWithin('1.0.0-beta.10', '<1.0.0-beta.9')).toBe(false)
  expect(isWithin('1.0.0-rc.1+build.5', '=1.0.0-rc.1')).toBe(true)
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

it('states the date of its advisories, and does not report success without any', () => {
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

/** Patterns that only secrets match. */
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
/** Created for tests and of no value elsewhere. */
const known = [
  'packages/server/src/testing/servers/self-signed.ts',
  'packages/server/src/commands/passwords.test.ts',
  'packages/server/src/storage/postgres/address.test.ts',
]

it('the tree contains no secret', () => {
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
