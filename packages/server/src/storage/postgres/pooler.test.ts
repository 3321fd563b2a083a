import { expect, it, onTestFinished } from 'vitest'
import { findSets, makeBusiness, setBody } from '../../testing/data/factories.ts'
import { becomes, subscribe } from '../../testing/data/subscriptions.ts'
import { makeStore, postgresUrl, startServer } from '../../testing/harness.ts'
import { hasPooler, startPooler } from '../../testing/servers/pooler.ts'
import { startReceiver } from '../../testing/servers/receiver.ts'

if (!hasPooler) process.stderr.write('PgBouncer is not installed: Mainline is not tried behind it.\n')

// `npm run pooler` runs the whole storage suite behind PgBouncer; this test covers what failed without support for it.
it.skipIf(!hasPooler)('serves through PgBouncer in transaction mode: changes, heavy searches, delivery', async () => {
  const pooler = await startPooler(postgresUrl())
  onTestFinished(pooler.stop)
  const store = await makeStore('postgres')
  onTestFinished(store.remove)
  const behind = { ...store, flags: [...store.flags, `--database-url=${pooler.through(store.databaseUrl)}`] }
  const [one, two] = [
    await startServer('postgres', { store: behind }),
    await startServer('postgres', { store: behind }),
  ]
  onTestFinished(async () => {
    await Promise.all([one.close(), two.close()])
  })
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const business = await makeBusiness(one)
  const { id } = await subscribe(one, receiver, { subscription_form: 'setcreate' })

  const created = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      [one, two][n % 2]?.call('POST', `/set/${business}`, setBody(business, { bk_set_name: `set ${n}` })),
    ),
  )
  expect(created.map((answer) => answer?.bk_error_code)).toEqual(created.map(() => 0))
  for (const server of [one, two]) {
    expect((await findSets(server, business, { bk_set_name: { $regex: '^set ' } })).data?.count).toBe(40)
  }
  await receiver.received(40)
  await becomes(one, id, { lag: 0, statistics: { total: 40, failure: 0 } })
})

it.skipIf(!hasPooler)(
  'keeps its limits behind a pooler: a lock is waited for no longer than --queue-time',
  async () => {
    const pooler = await startPooler(postgresUrl())
    onTestFinished(pooler.stop)
    const store = await makeStore('postgres')
    onTestFinished(store.remove)
    const server = await startServer('postgres', {
      store,
      flags: [`--database-url=${pooler.through(store.databaseUrl)}`, '--queue-time=1s'],
    })
    onTestFinished(server.close)
    const business = await makeBusiness(server)
    const { engine } = server.service.storage
    const release = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const holding = engine.transact('holder', async (connection) => {
      await connection.query('SELECT 1 FROM business WHERE biz_id = $1 FOR UPDATE', [business])
      held.resolve()
      await release.promise
    })
    await held.promise
    const refused = await server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: 'late' }))
    release.resolve()
    await holding
    expect(refused).toMatchObject({ status: 503, bk_error_code: 1199503 })
  },
)
