import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { newSecret, readSecret, sign, signingKeyOf } from './signature.ts'

it('signatures are accepted by the reference library of Standard Webhooks, whatever the body', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.json(), (bytes, body) => {
      const secret = readSecret(`whsec_${Buffer.from(bytes).toString('base64')}`)
      const now = Math.floor(Date.now() / 1000)
      const headers = {
        'webhook-id': 'event_1_2_0',
        'webhook-timestamp': String(now),
        'webhook-signature': sign([signingKeyOf(newSecret()), signingKeyOf(secret)], 'event_1_2_0', now, body),
      }
      new Webhook(secret).verify(body, headers)
      expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow()
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow()
    }),
    { numRuns: 50 },
  )
})

it('generated secrets are valid as chosen secrets', () => {
  expect(readSecret(newSecret())).toMatch(/^whsec_/)
  expect(newSecret()).not.toBe(newSecret())
})

it.each([
  ['no prefix', Buffer.alloc(32).toString('base64')],
  ['23 bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
  ['65 bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
  ['what is not base64', `whsec_${'!'.repeat(44)}`],
  ['a blank inside', `whsec_${'A'.repeat(20)} ${'A'.repeat(23)}`],
  ['nothing', ''],
])('refuses a secret with %s', (_, secret) => {
  expect(() => readSecret(secret)).toThrow('24 to 64 bytes')
})
