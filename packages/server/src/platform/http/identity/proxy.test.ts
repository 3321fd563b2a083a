import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../testing/harness.ts'
import { send } from '../../../testing/raw.ts'
import { isAmong } from '../../networks.ts'
import { readNetworks } from '../../outbound/address.ts'

let trusting: TestServer
let wary: TestServer
beforeAll(async () => {
  trusting = await startServer('sqlite', { flags: ['--auth=proxy', '--proxies=10.0.0.0/8, 127.0.0.1'] })
  wary = await startServer('sqlite', { flags: ['--auth=proxy', '--proxies=10.0.0.0/8,::1'] })
})
afterAll(async () => {
  await trusting.close()
  await wary.close()
})
const create = (server: TestServer, headers: Record<string, string>) =>
  send(server.url, { path: '/api/v3/biz/0', headers, body: `{"bk_biz_name":"${Math.random()}"}` })
const refused = { status: 401, bk_error_code: 1199027, data: null }

it('believes the identity headers of a listed proxy, whatever host it was called by', async () => {
  const made = await create(trusting, { BK_User: 'admin', host: 'cmdb.example.org' })
  expect(made).toMatchObject({ status: 200, data: { creator: 'admin' } })
  expect(await create(trusting, { 'bk-user': 'bob' })).toMatchObject({ status: 403, bk_error_code: 9900403 })
})

it('refuses a proxy that names nobody', async () => {
  expect(await create(trusting, {})).toMatchObject(refused)
  expect(await create(trusting, { BK_User: '' })).toMatchObject(refused)
})

it('refuses everyone else, whatever they say of themselves', async () => {
  for (const more of [
    {},
    { 'x-forwarded-for': '10.0.0.1' },
    { forwarded: 'for=10.0.0.1' },
    { 'x-real-ip': '10.0.0.1' },
  ]) {
    const answer = await create(wary, { BK_User: 'admin', ...more })
    expect(answer).toMatchObject(refused)
    expect(answer.bk_error_msg).toContain('BK_User header of a listed proxy')
  }
})

it('keeps a caller within the account that the proxy names', async () => {
  const far = { BK_User: 'admin', HTTP_BK_SUPPLIER_ACCOUNT: 'far' }
  expect(await create(trusting, far)).toMatchObject({ status: 403, bk_error_code: 9900403 })
  const search = (account: string, headers: Record<string, string>) =>
    trusting.call('POST', `/biz/search/${account}`, {}, headers)
  expect((await search('far', far)).status).toBe(200)
  expect((await search('far', { BK_User: 'admin' })).status).toBe(403)
})

it('still keeps out pages of other sites', async () => {
  const answer = await create(trusting, { BK_User: 'admin', origin: 'https://evil.example' })
  expect(answer).toMatchObject({ status: 403, bk_error_code: 9900403 })
})

it.each([
  ['10.0.0.5', '10.0.0.5', true],
  ['10.0.0.5', '10.0.0.6', false],
  ['10.0.0.0/8', '::ffff:10.200.3.4', true],
  ['2001:db8::/32', '2001:db8:5::1', true],
  ['2001:db8::/32', '10.0.0.1', false],
  ['0.0.0.0/0', '::1', false],
  ['10.0.0.5', 'not an address', false],
])('%s holds %s: %s', (network, address, holds) => {
  expect(isAmong(address, readNetworks(network))).toBe(holds)
})
