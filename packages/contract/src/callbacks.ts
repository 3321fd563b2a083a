import Type from 'typebox'
import { byGroup } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { anyJson, Success, shaped } from './vocabulary.ts'

/** What would be called: its form is checked where it is read. */
export const CallbackUrl = Type.String({
  minLength: 1,
  description: 'address that receives the events, http or https; http when it names no scheme',
})

export const pingSubscription = endpoint({
  name: 'ping_subscription',
  method: 'POST',
  path: '/event/subscribe/ping',
  area: 'Events',
  summary: 'Deliver data to a callback and see what it answers.',
  allow: byGroup('event'),
  body: Type.Object({
    callback_url: CallbackUrl,
    data: Type.Optional(shaped(anyJson, 'a text is sent as it is, anything else as its JSON; {} when left out')),
  }),
  refuses: ['callbackFailed'],
  data: Type.Array(
    Type.Object({
      http_status: Type.Integer(),
      response_body: Type.String({ description: 'the first 64 KiB' }),
    }),
  ),
  example: { body: { callback_url: 'http://127.0.0.1:8080/api/v3/usercustom/default/search', data: {} } },
})

export const testingConnection = endpoint({
  name: 'testing_connection',
  method: 'POST',
  path: '/event/subscribe/telnet',
  area: 'Events',
  summary: 'See whether a callback can be reached: connects and sends nothing.',
  allow: byGroup('event'),
  body: Type.Object({ callback_url: CallbackUrl }),
  refuses: ['connectionFailed'],
  data: Success,
  example: { body: { callback_url: 'http://127.0.0.1:8080' } },
})
