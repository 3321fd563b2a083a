import Type from 'typebox'
import { byGroup } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { anyJson, Success, shaped } from './vocabulary.ts'

/** The address to test: its form is checked where it is parsed. */
const CallbackUrl = Type.String({
  minLength: 1,
  description: 'URL that receives the events, http or https; http if it has no scheme',
})

export const pingSubscription = endpoint({
  name: 'ping_subscription',
  method: 'POST',
  effect: 'write',
  onlyCalls: true,
  path: '/event/subscribe/ping',
  area: 'Events',
  summary: 'Send data to a callback and return its response.',
  allow: byGroup('event'),
  body: Type.Object({
    callback_url: CallbackUrl,
    data: Type.Optional(shaped(anyJson, 'a text is sent as it is, anything else as its JSON; {} when left out')),
  }),
  refuses: ['callbackFailed'],
  data: Type.Array(
    Type.Object({
      http_status: Type.Integer(),
      response_body: Type.String({ description: 'the first 4 KiB; 64 KiB for administrators' }),
    }),
  ),
  example: { body: { callback_url: 'http://127.0.0.1:8080/api/v3/usercustom/default/search', data: {} } },
})

export const testingConnection = endpoint({
  name: 'testing_connection',
  method: 'POST',
  effect: 'write',
  onlyCalls: true,
  path: '/event/subscribe/telnet',
  area: 'Events',
  summary: 'Test whether a callback is reachable: connects and sends nothing.',
  allow: byGroup('event'),
  body: Type.Object({ callback_url: CallbackUrl }),
  refuses: ['connectionFailed'],
  data: Success,
  example: { body: { callback_url: 'http://127.0.0.1:8080' } },
})
