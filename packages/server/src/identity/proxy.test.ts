import { afterAll, beforeAll, expect, it } from 'vitest'
import { isAmong } from '../common/networks.ts'
import { readNetworks } from '../outbound/address.ts'
import { startServer, type TestServer } from '../testing/harness.ts'
import { send } from '../testing/raw.ts'

const named = ['--auth=proxy', '--url=https://cmdb.example.org', '--allowed-hosts=mainline, Inventory.example.org']
let trusting: TestServer
let wary: TestServer
beforeAll(async () => {
  trusting = await startServer('sqlite', { flags: [...named, '--proxies=10.0.0.0/8, 127.0.0.1'] })
  wary = await startServer('sqlite', { flags: ['--auth=proxy', '--proxies=10.0.0.0/8,::1'] })
})
afterAll(async () => {
  await trusting.close()
  await wary.close()
})
const create = (server: TestServer, headers: Record<string, string>) =>
  send(server.url, { path: '/api/v3/biz/0', headers, body: `{"bk_biz_name":"${Math.random()}"}` })
const refused = { status: 401, bk_error_code: 1199027, data: null }

it('trusts the identity headers of a listed proxy', async () => {
  const made = await create(trusting, { BK_User: 'admin', host: 'cmdb.example.org' })
  expect(made).toMatchObject({ status: 200, data: { creator: 'admin' } })
  expect(await create(trusting, { 'bk-user': 'bob' })).toMatchObject({ status: 403, bk_error_code: 9900403 })
})

it('is reachable by its configured names, by address or as localhost, and by no other name', async () => {
  const call = async (host: string) => (await create(trusting, { BK_User: 'admin', host })).status
  for (const host of [
    'cmdb.example.org',
    'CMDB.example.org:8443',
    'mainline',
    'inventory.example.org',
    '10.0.0.7:8080',
  ])
    expect([host, await call(host)]).toEqual([host, 200])
  for (const host of ['[::1]:80', 'localhost:8080']) expect([host, await call(host)]).toEqual([host, 200])
  for (const host of ['evil.example', 'cmdb.example.org.evil.example', 'cmdb.example.org@evil.example'])
    expect([host, await call(host)]).toEqual([host, 403])
  const rebound = {
    BK_User: 'admin',
    host: 'evil.example',
    origin: 'http://evil.example',
    'sec-fetch-site': 'same-origin',
  }
  const answer = await create(trusting, rebound)
  expect(answer).toMatchObject({ status: 403, bk_error_code: 9900403 })
  expect(answer.bk_error_msg).toContain('MAINLINE_ALLOWED_HOSTS')
})

it('refuses a proxy that sends no user', async () => {
  expect(await create(trusting, {})).toMatchObject(refused)
  expect(await create(trusting, { BK_User: '' })).toMatchObject(refused)
})

it('refuses other addresses, whatever headers they send', async () => {
  for (const more of [
    {},
    { 'x-forwarded-for': '10.0.0.1' },
    { forwarded: 'for=10.0.0.1' },
    { 'x-real-ip': '10.0.0.1' },
  ]) {
    const answer = await create(wary, { BK_User: 'admin', ...more })
    expect(answer).toMatchObject(refused)
    expect(answer.bk_error_msg).toContain('BK_User header of a trusted proxy')
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

it('refuses cross-site requests', async () => {
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
