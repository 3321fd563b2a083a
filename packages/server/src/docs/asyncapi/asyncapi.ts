import { feed } from '@mainline/contract'
import manifest from '../../../package.json' with { type: 'json' }
import { asDocumented } from '../../http/dialect.ts'
import { apiRoot } from '../../http/operation/bind.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'
import { SchemaWriter } from '../openapi/schemas.ts'

const refersTo = (path: string) => ({ $ref: `#/${path}` })

/** Headers of Standard Webhooks. */
const signedHeaders = {
  type: 'object',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  properties: {
    'webhook-id': { type: 'string', description: 'equal in every attempt and replay: discard what was processed' },
    'webhook-timestamp': { type: 'string', description: 'seconds since 1970' },
    'webhook-signature': {
      type: 'string',
      description: 'v1, and HMAC-SHA256 of id.timestamp.body in base64; two while a secret is being rotated',
    },
  },
}

const pushed = (title: string, contentType: string, payload: JsonSchema) => ({
  title,
  contentType,
  headers: refersTo('components/schemas/SignedHeaders'),
  payload,
})

function messagesOf(schemas: SchemaWriter) {
  const event = schemas.define('Event', schemas.write(feed.PushedEvent))
  const cloudEvent = schemas.define('CloudEvent', schemas.write(feed.CloudEvent))
  const manyOf = (items: JsonSchema) => ({ type: 'array', minItems: 1, items })
  return {
    event: pushed('An event', 'application/json', event),
    batch: pushed('Events of a subscription with `batch`', 'application/json', manyOf(event)),
    cloudEvent: pushed('A CloudEvent 1.0', 'application/cloudevents+json', cloudEvent),
    cloudEventBatch: pushed('CloudEvents 1.0', 'application/cloudevents-batch+json', manyOf(cloudEvent)),
    watched: {
      title: 'An event of a stream',
      contentType: 'text/event-stream',
      payload: schemas.define('WatchedEvent', schemas.write(feed.streamEvents.data)),
    },
  }
}

/** AsyncAPI 3 of the events that the server sends, generated from the contract. */
export function asyncApi() {
  const schemas = new SchemaWriter(asDocumented.identifiers)
  const messages = messagesOf(schemas)
  const { watched: _, ...pushes } = messages
  const asMessages = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, refersTo(`components/messages/${name}`)]))
  const http = (method: string) => ({ http: { method, bindingVersion: '0.3.0' } })
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Events of Mainline',
      version: manifest.version,
      description:
        'Events about changes, pushed to the receivers of subscriptions and streamed to clients. Which events there are, with an example of each: search_event_catalogue. How they are ordered, repeated and verified: /docs/guides/events. Operations to subscribe: /openapi.json.',
      license: { name: 'Apache License 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      local: { host: '127.0.0.1:8080', protocol: 'http', description: 'mainline serve without settings' },
    },
    channels: {
      receiver: {
        address: null,
        title: 'The receiver of a subscription',
        description: 'Its `callback_url`. Each subscription has one kind of message, by its `format` and `batch`.',
        messages: asMessages(Object.keys(pushes)),
      },
      stream: {
        address: `${apiRoot}${feed.streamEvents.path}`,
        title: 'Server-sent events',
        servers: [refersTo('servers/local')],
        messages: asMessages(['watched']),
      },
    },
    operations: {
      pushEvents: {
        action: 'send',
        channel: refersTo('channels/receiver'),
        summary: 'Post events to the receiver of a subscription, at least once, in order for each instance.',
        bindings: http('POST'),
      },
      streamEvents: {
        action: 'send',
        channel: refersTo('channels/stream'),
        summary: feed.streamEvents.summary,
        bindings: http('GET'),
      },
    },
    components: { messages, schemas: { ...schemas.components, SignedHeaders: signedHeaders } },
  }
}
