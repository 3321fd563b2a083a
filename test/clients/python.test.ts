import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Endpoint } from '@mainline/contract'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { putDemo } from '../../packages/server/src/testing/data/demo.ts'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { generatedModules } from '../../scripts/python/modules.ts'
import { lostCursor } from './lost-cursor.ts'

const isInstalled = spawnSync('python3', ['--version']).status === 0
if (!isInstalled) process.stderr.write('python3 is not installed: its client is not tried\n')

/** What the program prints; warnings are errors. */
function python(args: string[], env: Record<string, string>, input = ''): Promise<string> {
  const own = { PYTHONPATH: resolve('packages/python'), PYTHONDONTWRITEBYTECODE: '1' }
  return new Promise((printed, fail) => {
    const options = { env: { ...process.env, ...own, ...env } }
    const program = execFile('python3', ['-W', 'error', ...args], options, (error, stdout, stderr) =>
      error ? fail(new Error(stderr, { cause: error })) : printed(stdout + stderr),
    )
    program.stdin?.end(input)
  })
}

it('the generated modules of the Python client are what npm run openapi writes', () => {
  for (const [file, text] of generatedModules()) expect(readFileSync(file, 'utf8'), file).toBe(text)
})

describe.skipIf(!isInstalled)('the Python client', () => {
  it('calls every operation with the examples of the contract', async () => {
    const store = await makeStore('sqlite')
    await putDemo(store.dataDir)
    const server = await startServer('sqlite', { store })
    const finite = endpoints.filter(({ streams }) => streams !== 'text/event-stream')
    const written = JSON.stringify(finite.map((each) => [each.name, argumentsOf(each)]))
    const calls = written.replaceAll('127.0.0.1:8080', new URL(server.url).host)
    try {
      const program = ['packages/python/tests/every_operation.py']
      expect(await python(program, { MAINLINE_URL: server.url }, calls)).toBe('')
    } finally {
      await server.close()
      store.remove()
    }
  })

  it('retries, reads pages, watches and verifies webhooks', async () => {
    const server = await startServer('sqlite')
    const env = { MAINLINE_URL: server.url, MAINLINE_LOST_CURSOR: lostCursor }
    try {
      const tests = ['-m', 'unittest', 'discover', 'packages/python/tests']
      expect(await python(tests, env)).toMatch(/Ran \d\d tests[\s\S]*\nOK\n/)
    } finally {
      await server.close()
    }
  })
})

/** `from` is a keyword of Python. */
function argumentsOf({ example = {}, hasBody, takes }: Endpoint): Record<string, unknown> {
  const { from, ...query } = example.query ?? {}
  return {
    ...example.params,
    ...query,
    ...(from !== undefined && { from_: from }),
    ...(hasBody && { body: example.body ?? {} }),
    ...(takes && { content: example.body }),
  }
}
