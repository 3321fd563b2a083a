import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { areasTopDown, brokenDoors, importsOf, readSources } from './doors.ts'

const sources = readSources()

it('rooms are entered only through their doors, and only downward', () => {
  expect(brokenDoors(sources)).toEqual([])
})

it('has seen the files it speaks of', () => {
  const files = sources.map((source) => source.file)
  expect(files).toContain('packages/server/src/platform/storage/change.ts')
  expect(files).toContain('packages/contract/src/endpoint.ts')
  expect(sources.find((source) => source.file === 'packages/server/src/areas/sets/service.ts')?.imports).toContain(
    'packages/server/src/areas/topology/index.ts',
  )
  for (const file of files) expect(existsSync(file), file).toBe(true)
  const areas = readdirSync('packages/server/src/areas')
  expect(areas.toSorted()).toEqual(areasTopDown.toSorted())
})

it.each([
  ['packages/server/src/platform/http/bind.ts', '../../areas/sets/index.ts', 'the platform knows no area'],
  ['packages/server/src/areas/model/check.ts', '../sets/index.ts', 'model stands below sets'],
  ['packages/server/src/areas/sets/routes.ts', '../topology/nodes.ts', 'topology is entered through its index.ts'],
  ['packages/server/src/areas/sets/routes.ts', '../../service.ts', 'areas are wired by the service'],
  ['packages/contract/src/sets.ts', 'node:fs', 'the contract stands alone'],
  ['packages/server/src/commands/client/get.ts', '../../service.ts', 'know the interface, not the server'],
  ['packages/server/src/service.ts', './testing/harness.ts', 'only tests use what is made for tests'],
])('sees a door broken on purpose: %s imports %s', (file, target, why) => {
  const imports = importsOf(file, `import { anything } from '${target}'`)
  expect(brokenDoors([{ file, imports }])).toEqual([expect.stringContaining(why)])
})
