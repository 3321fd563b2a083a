import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cyclesIn } from './cycles.ts'
import { areasTopDown, brokenRules, importsOf, importsOnLoad, readSources } from './imports.ts'

const sources = readSources()

it('folders import each other through their index.ts, and only downwards', () => {
  expect(brokenRules(sources)).toEqual([])
})

it('all source files are checked', () => {
  const files = sources.map((source) => source.file)
  expect(files).toContain('packages/server/src/storage/change/change.ts')
  expect(files).toContain('packages/contract/src/endpoint.ts')
  expect(
    sources.find((source) => source.file === 'packages/server/src/areas/hosts/search/query.ts')?.imports,
  ).toContain('packages/server/src/areas/topology/index.ts')
  for (const file of files) expect(existsSync(file), file).toBe(true)
  const areas = readdirSync('packages/server/src/areas').flatMap((area) =>
    existsSync(`packages/server/src/areas/${area}/index.ts`)
      ? [area]
      : readdirSync(`packages/server/src/areas/${area}`).map((folder) => `${area}/${folder}`),
  )
  expect(areas.toSorted()).toEqual(areasTopDown.toSorted())
})

it.each([
  ['packages/server/src/http/operation/bind.ts', '../../areas/hosts/index.ts', 'the platform knows no area'],
  ['packages/server/src/http/operation/bind.ts', '../../compat/bk-cmdb.ts', 'the platform knows no area'],
  ['packages/server/src/areas/model/check.ts', '../hosts/index.ts', 'model is below hosts'],
  ['packages/server/src/areas/events/feed/names.ts', '../delivery/index.ts', 'events/feed is below events/delivery'],
  [
    'packages/server/src/areas/hosts/search/search.ts',
    '../../topology/nodes/sets.ts',
    'topology is entered through its index.ts',
  ],
  ['packages/server/src/areas/topology/routes/sets.ts', '../../../service.ts', 'areas are wired by the service'],
  ['packages/contract/src/sets.ts', 'node:fs', 'the contract stands alone'],
  ['packages/server/src/cli/commands/get.ts', '../../service.ts', 'know the interface, not the server'],
  ['packages/server/src/service.ts', './testing/harness.ts', 'only tests use what is made for tests'],
])('detects an import that breaks a rule: %s imports %s', (file, target, rule) => {
  const imports = importsOf(file, `import { anything } from '${target}'`)
  expect(brokenRules([{ file, imports }])).toEqual([expect.stringContaining(rule)])
})

it('there are no import cycles', () => {
  expect(cyclesIn(readSources(importsOnLoad))).toEqual([])
})

it('detects a cycle through several files', () => {
  const files = { a: ['b'], b: ['c'], c: ['a'], d: ['a', 'e'], e: [], f: ['f'] }
  const cycles = cyclesIn(Object.entries(files).map(([file, imports]) => ({ file, imports })))
  expect(cycles).toEqual([['a', 'b', 'c'], ['f']])
})
