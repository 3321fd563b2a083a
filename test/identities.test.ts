import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeConfig } from '../packages/server/src/platform/config.ts'
import { makeStore } from '../packages/server/src/testing/harness.ts'
import { entry, spawnServer } from '../packages/server/src/testing/process.ts'

const guide = readFileSync('docs/guides/identities.md', 'utf8')
const blocks = (kind: string) =>
  [...guide.matchAll(new RegExp(`<!-- ${kind} -->\\n\`\`\`sh\\n(.*?)\\n\`\`\``, 'gs'))].map(([, text = '']) => text)

/** The commands of the guide, one after another in one shell, against a server that was started as it says. */
async function follow(kind: string, flags: string[]): Promise<string> {
  const store = await makeStore('sqlite')
  const server = await spawnServer(store, flags)
  const mainline = `mainline() { "${process.execPath}" "${entry}" "$@" --data-dir="${store.dataDir}"; }`
  const commands = blocks(`run: ${kind}`).join('\n').replaceAll('http://127.0.0.1:8080', server.url)
  const printed = execFileSync('bash', ['-euc', `${mainline}\n${commands}`], { encoding: 'utf8', stdio: 'pipe' })
  await server.end('SIGTERM')
  store.remove()
  return printed
}

it('guides to tokens', async () => {
  const printed = await follow('token', ['--auth', 'token', '--host', '0.0.0.0'])
  expect(printed).toContain('"result":true')
  expect(printed).toMatch(/ml_2_[\w-]{43}\n/)
  expect(printed).toMatch(/\n1 +admin +0 +full .* good +first key\n2 +ci +acme +read-only /)
  expect(printed).toContain('Token 2 of ci is revoked.')
})

it('guides behind a proxy', async () => {
  const printed = await follow('proxy', ['--auth', 'proxy', '--proxies', '127.0.0.1'])
  expect(JSON.parse(printed)).toMatchObject({ data: { auth: 'proxy', user: 'amy', confined: true } })
})

it('names settings that there are', () => {
  const named = [...guide.matchAll(/MAINLINE_[A-Z_]+/g)].map(([name]) => name)
  expect(blocks('settings')).toHaveLength(1)
  for (const name of named) expect(describeConfig()).toContain(name)
})
