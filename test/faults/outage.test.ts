import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { setBody } from '../../packages/server/src/testing/data/factories.ts'
import { firstNames, subscribe } from '../../packages/server/src/testing/data/subscriptions.ts'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { spawnServer } from '../../packages/server/src/testing/process.ts'
import { createDatabase, startPostgres } from '../../packages/server/src/testing/servers/postgres.ts'
import { startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'

const subscriptions = 10
const outageMs = isFull ? 20_000 : 6_000
/** More than one line per second would be too many for a person to read. */
const maxLines = outageMs / 1_000
/** Time limit for an event to be delivered once the database is back. */
const resumeMs = 10_000

it('an outage of the database is one line, its end another, and delivery resumes', async () => {
  const postgres = await startPostgres()
  const databaseUrl = await createDatabase(postgres.url)
  const server = await spawnServer({ flags: ['--port=0', `--database-url=${databaseUrl}`] }, ['--log-level=info'])
  let output = ''
  for (const stream of [server.child.stdout, server.child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const receiver = await startReceiver()
  const lines = () => output.split('\n').filter(Boolean)

  const made = await server.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'shop' })
  const business = made.data.bk_biz_id
  const info = JSON.stringify({ condition: [{ bk_obj_id: 'host', fields: [], condition: [] }] })
  const saved = await server.call<{ id: string }>('POST', '/userapi', { bk_biz_id: business, name: 'all', info })
  for (let nth = 0; nth < subscriptions; nth++) await subscribe(server, receiver)
  await subscribe(server, receiver, { subscription_form: `customquery:${saved.data.id}` })
  const watching = fetch(`${server.url}/api/v3/event/stream?resource=set`)
    .then((answer) => answer.text())
    .catch(() => '')
  const makeSet = (name: string) =>
    server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: name })).catch(() => undefined)
  expect((await makeSet('before'))?.result).toBe(true)
  await receiver.received(subscriptions)

  output = ''
  await postgres.crash()
  await pause(outageMs)
  expect(lines().length, output.slice(0, 5_000)).toBeLessThan(maxLines)

  const [lost] = lines().map((line) => JSON.parse(line))
  expect(lost).toMatchObject({ level: 50, msg: expect.stringContaining('storage') })
  expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({ status: 'storage does not answer' })

  await postgres.start()
  await expect.poll(async () => (await makeSet('after'))?.result, { timeout: resumeMs }).toBe(true)
  await expect.poll(() => firstNames(receiver.requests), { timeout: resumeMs }).toContain('after')
  const back = lines()
    .map((line) => JSON.parse(line))
    .filter(({ outage_ms }) => outage_ms !== undefined)
  expect(back).toHaveLength(1)
  expect(back[0].outage_ms).toBeGreaterThan(outageMs / 2)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)

  expect(await server.end('SIGTERM')).toBe(0)
  await watching
  await receiver.close()
  await postgres.stop()
})
