/** The body that Mainline pushes to a subscriber. */
export interface Delivered {
  readonly event_type: string
  readonly action: string
  readonly action_time: string
  readonly obj_type: string
  readonly data: readonly {
    readonly cur_data: Readonly<Record<string, unknown>> | null
    readonly pre_data: Readonly<Record<string, unknown>> | null
  }[]
  readonly bk_supplier_account: string
  readonly request_id: string
  readonly request_time: string
  readonly txn_id: string
  readonly distribution_id: number
  readonly subscription_id: number
}

/** The signature is invalid or too old. Answer 401 and ignore the message. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
}

type Sent = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface Verifying {
  /** Tolerated clock skew in seconds. */
  readonly tolerance?: number
  /** In milliseconds since 1970. */
  readonly now?: number
}

/**
 * The event, after its signature was verified (Standard Webhooks). `body` is the body as received: parsed and serialised again it may differ.
 * Remember `webhook-id`: an event may be sent twice.
 */
export async function verifyWebhook(
  secret: string,
  headers: Sent,
  body: string | Uint8Array,
  { tolerance = 300, now = Date.now() }: Verifying = {},
): Promise<Delivered> {
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`))
  if (!id || !time || !signatures) throw new WebhookRefused('a webhook- header is missing')
  if (!/^\d+$/.test(time) || Math.abs(now / 1_000 - Number(time)) > tolerance) {
    throw new WebhookRefused('webhook-timestamp is too far from now')
  }
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const signed = new TextEncoder().encode(`${id}.${time}.${text}`)
  const key = await keyOf(secret)
  // While a secret is being replaced there are two signatures, separated by a blank. The comparison takes constant time.
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(text) as Delivered
  }
  throw new WebhookRefused('no signature was made with this secret')
}

function headerOf(headers: Sent, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : undefined
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) throw new TypeError('the secret is not whsec_ and base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))
  } catch {
    return undefined
  }
}
