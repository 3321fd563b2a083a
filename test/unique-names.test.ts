// A name with two meanings in one area misleads its readers.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readSources } from './imports.ts'

/** The folders in which top-level names are unique: each area, and each other folder of the server. */
const areaOf = (file: string): string | undefined =>
  /^packages\/server\/src\/(areas\/[^/]+|(?!areas\/|testing\/)[^/]+)\//.exec(file)?.[1]

/** The top-level declarations of a file. */
const declaredIn = (text: string): string[] =>
  [...text.matchAll(/^(?:export )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  )

function repeated(files: readonly { file: string; text: string }[]): string[] {
  const declaring = new Map<string, Set<string>>()
  for (const { file, text } of files) {
    const area = areaOf(file)
    if (!area) continue
    for (const name of declaredIn(text)) {
      const key = `${area}: ${name}`
      declaring.set(key, (declaring.get(key) ?? new Set()).add(file))
    }
  }
  return [...declaring].flatMap(([key, among]) => (among.size > 1 ? [`${key} in ${[...among].join(', ')}`] : []))
}

it('top-level names are unique within their area', () => {
  const files = readSources().map(({ file }) => ({ file, text: readFileSync(file, 'utf8') }))
  expect(repeated(files)).toEqual([])
})

it('detects a name that is declared twice', () => {
  const file = (name: string) => `packages/server/src/areas/hosts/${name}.ts`
  const found = repeated([
    { file: file('one'), text: 'export const keyOf = 1\n' },
    { file: file('two'), text: 'async function keyOf() {}\n' },
    { file: 'packages/server/src/areas/topology/three.ts', text: 'type keyOf = 1\n' },
  ])
  expect(found).toEqual([`areas/hosts: keyOf in ${file('one')}, ${file('two')}`])
})
