import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../packages/server/src/testing/harness.ts'
import { blocksOf } from './docs/blocks.ts'

const programs = blocksOf('docs/guides/bk-cmdb.md').filter(({ testedBy }) => testedBy !== undefined)
/** The runtime of each language, how it runs a file, the file's extension, and the expected output. */
const tools = {
  python: { name: 'python3', ending: 'py', run: [], hello: '--version' },
  java: { name: 'java', ending: 'java', run: [], hello: '-version' },
  go: { name: 'go', ending: 'go', run: ['run'], hello: 'version' },
}

let server: TestServer
const home = mkdtempSync(join(tmpdir(), 'mainline-guide-'))
beforeAll(async () => {
  server = await startServer('sqlite', { flags: ['--compat', 'bk-cmdb'] })
})
afterAll(async () => {
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

it('has a program for each of the languages', () => {
  expect(programs.map(({ language }) => language)).toEqual(Object.keys(tools))
})

for (const { language, text: program } of programs) {
  const { name, ending, run, hello } = tools[language as keyof typeof tools]
  const there = spawnSync(name, [hello]).status === 0
  if (!there) process.stderr.write(`${name} is not installed: its program in docs/guides/bk-cmdb.md is not run\n`)
  it.skipIf(!there)(`its program for ${name} succeeds`, async () => {
    const file = join(home, `Businesses.${ending}`)
    writeFileSync(file, program.replaceAll('http://127.0.0.1:8080', server.url))
    expect((await promisify(execFile)(name, [...run, file])).stdout).toContain('success')
  })
}
