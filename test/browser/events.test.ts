import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
let receiver: Receiver
beforeAll(async () => {
  ;[demo, receiver] = await Promise.all([
    openDemo(['--retry-schedule=1s']),
    startReceiver({ body: '{"status":"stored"}' }),
  ])
})
afterAll(() => Promise.all([demo.close(), receiver.close()]))

const call = async (method: string, path: string, body?: object) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${demo.url}/api/v3${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return ((await answer.json()) as { data: Record<string, unknown> }).data
}

const webServers = JSON.stringify({
  condition: [
    {
      bk_obj_id: 'module',
      fields: [],
      condition: [{ field: 'bk_module_name', operator: '$eq', value: 'web' }],
    },
    { bk_obj_id: 'host', fields: ['bk_host_innerip'], condition: [] },
  ],
})

it('subscribes a receiver to a saved query, and shows the event that was sent', async () => {
  await call('POST', '/userapi', { bk_biz_id: 2, name: 'web servers', info: webServers })
  const seen = await demo.visit('/events')
  const { page } = seen
  await page.getByRole('heading', { name: 'No subscriptions yet' }).waitFor()
  await isSound(seen)
  await page.getByRole('button', { name: 'Subscribe' }).click()

  await page.getByRole('heading', { name: 'New subscription' }).waitFor()
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText('Select at least one event.').waitFor()
  expect(await page.getByText('This field is required.').count()).toBe(2)
  await page.getByRole('textbox', { name: 'Name' }).fill('monitoring')
  await page.getByRole('button', { name: /Business$/ }).click()
  await page.getByRole('option', { name: 'Web shop' }).click()
  await page.getByText('Query web servers').waitFor({ state: 'detached' })
  await page.getByText('web servers', { exact: true }).click()
  await page.getByRole('searchbox', { name: 'Find an event' }).fill('module')
  await page.getByText('joins or leaves a module').click()
  await page.getByText('Region', { exact: true }).waitFor({ state: 'detached' })

  await page.getByRole('textbox', { name: 'Callback address' }).fill('http://127.0.0.1:1/')
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByRole('alert').getByText('refused the connection').waitFor()
  await page.getByRole('textbox', { name: 'Callback address' }).fill(receiver.url)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('The receiver is reachable.').waitFor()
  expect(receiver.requests).toHaveLength(0)
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByText('The receiver responded with 200').waitFor()
  await page.getByText('would confirm', { exact: true }).waitFor()
  expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({ obj_type: 'customquery' })
  await page.getByRole('textbox', { name: 'Events in flight' }).fill('8')
  await isSound(seen)
  await picture(page, 'events-form')

  await page.getByRole('button', { name: 'Subscribe' }).click()
  const secret = await page
    .getByRole('dialog')
    .getByText(/^whsec_/)
    .textContent()
  expect(secret?.length).toBeGreaterThan(30)
  await isSound(seen)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByText('Nothing has been sent yet').waitFor()
  await page.getByText('at most 8 events').waitFor()
  expect(await page.content()).not.toContain(secret)

  await call('POST', '/hosts/modules/idle', { bk_biz_id: 2, bk_host_id: [2] })
  const [, pushed] = await receiver.received(2)
  expect(pushed?.headers['webhook-signature']).toMatch(/^v1,/)
  await page
    .getByRole('button', { name: /Confirmed/ })
    .first()
    .click()
  await page.getByRole('definition').getByText('{"status":"stored"}').waitFor()
  expect(new URL(page.url()).search).toMatch(/^\?attempt=/)
  await isSound(seen)
  await picture(page, 'events-detail')

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('paused by admin').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('paused by admin').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Events' }).last().click()
  await page.getByRole('img', { name: /^the latest \d+ push/ }).waitFor()
})

it('builds a filter, tries it on the log, and says when it cannot be applied any more', async () => {
  const attribute = await call('POST', '/object/attr', {
    ...{ bk_obj_id: 'set', bk_property_id: 'shelf', bk_property_name: 'Shelf', bk_property_type: 'int' },
  })
  for (const shelf of [1, 7, 9]) await call('PUT', '/set/2/3', { bk_biz_id: 2, shelf })
  const seen = await demo.visit('/events/new?event=setupdate&business=2')
  const { page } = seen
  const filter = page.getByRole('region', { name: 'Only when' })
  await filter.getByRole('button', { name: 'Add a condition' }).click()
  await filter.getByRole('button', { name: /Attribute$/ }).click()
  await page.getByRole('option', { name: 'Shelf' }).click()
  await filter.getByRole('button', { name: 'Add a condition' }).click()
  await filter
    .getByRole('button', { name: /What is compared$/ })
    .last()
    .click()
  await page.getByRole('option', { name: 'After', exact: true }).click()
  await filter
    .getByRole('button', { name: /Attribute$/ })
    .last()
    .click()
  await page.getByRole('option', { name: 'Shelf' }).click()
  await filter.getByRole('button', { name: /Operator$/ }).click()
  expect(await page.getByRole('option', { name: 'matches', exact: true }).count()).toBe(0)
  await page.getByRole('option', { name: 'is greater than' }).click()
  await filter.getByRole('textbox', { name: 'Value' }).fill('5')
  await filter.getByRole('button', { name: 'Try on the last week' }).click()
  await filter.getByText(/^2 of \d+ events? of the last week would have been sent\.$/).waitFor()
  await filter.getByRole('button', { name: 'The newest of them' }).click()
  await filter.getByText('"shelf": 9').first().waitFor()
  await isSound(seen)
  await picture(page, 'events-filter')

  await page.getByRole('textbox', { name: 'Name' }).fill('filtered')
  await page.getByRole('textbox', { name: 'Callback address' }).fill(receiver.url)
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  const stored = '{"changed":{"$in":["shelf"]},"after.shelf":{"$gt":5}}'
  await page.getByText(stored, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(stored, { exact: true }).waitFor()

  await call('DELETE', `/object/attr/${attribute.id}`)
  await page.reload()
  await page.getByText('The filter cannot be applied, so every event is sent').waitFor()
  await isSound(seen)
})

it('shows events live, pauses on request, and loses none meanwhile', async () => {
  const seen = await demo.visit('/events?tab=live&business=2')
  const { page } = seen
  await page.getByText('Listening for events').waitFor()
  await expect.poll(() => page.locator('.live-status').textContent()).toBe('Live')
  await call('PUT', '/set/2/3', { bk_biz_id: 2, bk_capacity: 61 })
  await page.getByRole('button', { name: /updated Set storefront/ }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await call('PUT', '/set/3/8', { bk_biz_id: 3, bk_capacity: 61 })
  await call('PUT', '/set/2/4', { bk_biz_id: 2, bk_capacity: 62 })
  expect(await page.getByRole('list', { name: 'Live' }).getByRole('listitem').count()).toBe(1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(() => page.getByRole('list', { name: 'Live' }).getByRole('listitem').count()).toBe(2)
  await isSound(seen)
  await picture(page, 'events-live')
  await page.getByRole('searchbox', { name: 'Filter events' }).fill('storefront')
  await expect.poll(() => page.getByRole('list', { name: 'Live' }).getByRole('listitem').count()).toBe(1)
  await page.getByRole('button', { name: /Resource/ }).click()
  await page.getByRole('option', { name: 'Module', exact: true }).click()
  await page.getByText('Listening for events').waitFor()
  expect(new URL(page.url()).search).toContain('resource=module')
})

it('leads in Chinese from the overview to a dead letter, sends it again, and unsubscribes', async () => {
  const strict = await startReceiver({ status: 422, body: 'no such field' })
  await call('POST', '/event/subscribe/0/3', {
    subscription_name: '账单',
    callback_url: strict.url,
    subscription_form: 'setupdate',
  })
  await call('PUT', '/set/3/9', { bk_biz_id: 3, bk_capacity: 63 })
  await strict.received(2)
  const seen = await demo.visit('/', chinese)
  const { page } = seen
  await page.getByRole('link', { name: '账单 有 1 个死信' }).waitFor()
  // "All events delivered" would contradict it.
  await page.getByText('没有待推送的事件；1 个事件未能送达。').waitFor()
  await isSound(seen)
  await picture(page, 'overview-attention-zh')
  await page.getByRole('link', { name: '账单 有 1 个死信' }).click()
  await page.getByRole('cell', { name: /422/ }).waitFor()
  await isSound(seen)
  await picture(page, 'events-dead-zh')
  strict.answer({})
  await page.getByRole('button', { name: /^重新发送/ }).click()
  await page.getByRole('heading', { name: '没有死信' }).waitFor()
  await strict.received(3)
  strict.answer({ status: 422 })
  await call('PUT', '/set/3/9', { bk_biz_id: 3, bk_capacity: 64 })
  await page.getByRole('cell', { name: 'setupdate #9' }).waitFor()
  await page.getByRole('button', { name: '全部丢弃' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '全部丢弃' }).click()
  await page.getByRole('heading', { name: '没有死信' }).waitFor()

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: '跳转到' }).fill('账')
  await page.getByRole('option', { name: /^账单 http/ }).waitFor()
  await page.getByRole('combobox', { name: '跳转到' }).fill('checkout')
  await page.getByRole('option', { name: /checkout.*Web shop/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '取消订阅' }).click()
  await page.getByRole('alertdialog').getByText(`不再向 ${strict.url} 发送任何事件`).waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: '取消订阅' }).click()
  await page.getByText('订阅 账单 已删除').waitFor()
  await page.getByRole('link', { name: '账单' }).waitFor({ state: 'detached' })
  await strict.close()
})

it('tells a user without the privilege which one is missing', async () => {
  const origins = [{ origin: demo.url, localStorage: [{ name: 'mainline', value: '{"user":"kofi"}' }] }]
  const seen = await demo.visit('/events', { storageState: { cookies: [], origins } })
  const { page } = seen
  await page.getByRole('alert').getByText("needs 'event'").waitFor()
  const subscribe = page.getByRole('button', { name: 'Subscribe' })
  await expect.poll(() => subscribe.getAttribute('aria-disabled')).toBe('true')
  await page.mouse.move(600, 600)
  await subscribe.hover()
  await page.getByRole('tooltip', { name: 'You need “Event subscriptions”' }).waitFor()
  await isSound(seen)
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('region', { name: 'Event delivery' }).getByText("needs 'event'").waitFor()
  await isSound(seen)
})
