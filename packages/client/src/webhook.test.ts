import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { verifyWebhook, WebhookRefused } from './index.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const other = `whsec_${randomBytes(32).toString('base64')}`
const now = Date.UTC(2026, 0, 31, 8)
const time = `${now / 1_000}`

const signed = (body: string, by = secret, id = 'msg_1') => ({
  'webhook-id': id,
  'webhook-timestamp': time,
  'webhook-signature': new Webhook(by).sign(id, new Date(now), body),
})
const refused = (headers: Record<string, string>, body: string, at = now) =>
  expect(verifyWebhook(secret, headers, body, { now: at })).rejects.toBeInstanceOf(WebhookRefused)

it('accepts signatures of Standard Webhooks for text and bytes, with headers of fetch and of Node', () =>
  fc.assert(
    fc.asyncProperty(fc.json(), async (body) => {
      const headers = signed(body)
      const event = JSON.parse(body)
      expect(await verifyWebhook(secret, headers, body, { now })).toEqual(event)
      expect(await verifyWebhook(secret, new Headers(headers), new TextEncoder().encode(body), { now })).toEqual(event)
    }),
    { numRuns: 50 },
  ))

it('accepts one of several signatures, while a secret is being replaced', async () => {
  const [one, two] = [signed('{}', other), signed('{}')]
  const both = { ...two, 'webhook-signature': `${one['webhook-signature']} ${two['webhook-signature']}` }
  expect(await verifyWebhook(secret, both, '{}', { now })).toEqual({})
  expect(await verifyWebhook(other, both, '{}', { now })).toEqual({})
})

it('refuses changed, foreign, old and unsigned messages', async () => {
  const headers = signed('{"a":1}')
  await refused(headers, '{"a":2}')
  await refused({ ...headers, 'webhook-id': 'msg_2' }, '{"a":1}')
  await refused(signed('{}', other), '{}')
  await refused(headers, '{"a":1}', now + 301_000)
  await refused(headers, '{"a":1}', now - 301_000)
  for (const name of Object.keys(headers)) await refused({ ...headers, [name]: '' }, '{"a":1}')
  for (const signature of ['v1,', 'v1,AAAA', 'v1,é', 'v2,AAAA', 'AAAA', headers['webhook-signature'].slice(3)]) {
    await refused({ ...headers, 'webhook-signature': signature }, '{"a":1}')
  }
  for (const stamp of ['NaN', '-1', '1e9', ' ', 'Infinity'])
    await refused({ ...headers, 'webhook-timestamp': stamp }, '{"a":1}')
  await expect(verifyWebhook('whsec_', headers, '{"a":1}', { now })).rejects.toBeInstanceOf(TypeError)
})
