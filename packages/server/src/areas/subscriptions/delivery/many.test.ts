import { expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/factories.ts'
import { eachEngine, startServer } from '../../../testing/harness.ts'
import { startReceiver } from '../../../testing/receiver.ts'
import { becomes, subscribe, told } from '../../../testing/subscriptions.ts'

const subscriptions = 100
const changes = 10

eachEngine((engine) => {
  it('a receiver that hangs delays none of a hundred others', async () => {
    const server = await startServer(engine)
    const [hanging, receiver] = [await startReceiver({ instead: 'hang' }), await startReceiver()]
    const business = await makeBusiness(server)
    const stuck = await subscribe(server, hanging, { subscription_form: 'setcreate', timeout: 300 })
    const others = Array.from({ length: subscriptions }, () =>
      subscribe(server, receiver, { subscription_form: 'setcreate' }),
    )
    const ids = (await Promise.all(others)).map((each) => each.id)
    const names = Array.from({ length: changes }, (_, index) => `for many ${index}`)
    for (const name of names) await makeSet(server, business, { bk_set_name: name })
    const requests = await receiver.received(subscriptions * changes)
    for (const id of ids) {
      const own = requests.filter((request) => JSON.parse(request.body).subscription_id === id).map(told)
      expect(own.map((each) => each.name)).toEqual(names)
      expect(own.map((each) => each.distribution)).toEqual(names.map((_, index) => index + 1))
    }
    expect(hanging.requests).toHaveLength(1)
    await becomes(server, stuck.id, { statistics: { total: 0 }, lag: changes })
    await server.close()
    await Promise.all([hanging.close(), receiver.close()])
  })
})
