import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const runtime = new URL('../../packages/server/bin/runtime.mjs', import.meta.url).href

/** The program: says that it runs, and how it was ended. */
const program = `
import { endWithNpx } from '${runtime}'
endWithNpx()
process.once('SIGTERM', () => { console.log('stopped'); process.exit() })
setInterval(() => {}, 1_000)
console.log('running')`

/** As npm names itself and what it starts. */
const startedBy = (title: string, command: readonly string[]) => `
process.title = ${JSON.stringify(title)}
const [program, ...args] = ${JSON.stringify(command)}
require('node:child_process').spawn(program, args, { stdio: 'inherit' })
setInterval(() => {}, 1_000)`

// 'npx npm@10 start': npx, a shell that passes no signal on, npm, the program.
it.runIf(process.platform === 'linux')('a program ends with the npx that has fetched its npm', async () => {
  const node = process.execPath
  const npm = startedBy('npm start', [node, '--input-type=module', '-e', program])
  const npx = startedBy('npm exec npm@10 start', ['sh', '-c', '"$NODE" -e "$NPM" & wait'])
  const env = { ...process.env, NODE: node, NPM: npm, npm_execpath: '/home/.npm/_npx/1/npm/bin/npm-cli.js' }
  const child = spawn(node, ['-e', npx], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const group = -Number(child.pid)
  try {
    const said = async () =>
      String((await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) }))[0]).trim()
    expect(await said()).toBe('running')
    child.kill('SIGTERM')
    expect(await said()).toBe('stopped')
  } finally {
    process.kill(group, 'SIGKILL')
  }
})
