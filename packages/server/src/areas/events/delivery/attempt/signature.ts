import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { problem, rule } from '@mainline/contract'

const prefix = 'whsec_'
const least = 24
const most = 64
/** How long pushes are also signed with the previous secret. */
export const rotationOverlapMs = 24 * 3_600_000

export const newSecret = (): string => prefix + randomBytes(32).toString('base64')

/** A secret chosen by the caller, in the format of Standard Webhooks. */
export function readSecret(sent: string): string {
  const text = sent.startsWith(prefix) ? sent.slice(prefix.length) : ''
  const bytes = Buffer.from(text, 'base64')
  // Round trip, because Node's decoder skips characters that are not base64.
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  if (!isBase64 || bytes.length < least || bytes.length > most) {
    throw problem('invalid', { field: 'secret', rule: rule('webhookSecret', { least, most }) })
  }
  return prefix + bytes.toString('base64')
}

/** The key of a secret, created once for all signatures. */
export const signingKeyOf = (secret: string): KeyObject => createSecretKey(secret.slice(prefix.length), 'base64')

/** The header `webhook-signature` of Standard Webhooks: one signature per key, separated by spaces. */
export function sign(keys: readonly KeyObject[], id: string, timestamp: number, body: string): string {
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return signatures.join(' ')
}
