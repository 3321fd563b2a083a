import Type from 'typebox'
import { anyone } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { literals } from './vocabulary.ts'

/** The identity modes. */
export const authModes = ['open', 'token', 'proxy', 'oidc'] as const
export type AuthMode = (typeof authModes)[number]

const OrNull = (text: string) => Type.Union([Type.String({ description: text }), Type.Null()])

export const getSession = endpoint({
  name: 'get_session',
  method: 'GET',
  effect: 'read',
  path: '/session',
  area: 'Identity',
  summary: 'Get the identity of the caller, and how to sign in.',
  allow: anyone,
  anonymous: true,
  data: Type.Object({
    auth: Type.Union(literals(authModes), { description: 'how callers are authenticated' }),
    user: OrNull('null if the caller is not signed in'),
    bk_supplier_account: OrNull('the account that is used when a request names none'),
    confined: Type.Boolean({ description: 'whether the caller is confined to its account' }),
    administrator: Type.Boolean(),
    read_only: Type.Boolean({ description: 'whether write operations are rejected' }),
    language: Type.String(),
    sign_in: Type.Object({
      way: Type.Union([Type.Literal('none'), Type.Literal('token'), Type.Literal('login')], {
        description: 'none: nothing to do here; token: send one as Authorization: Bearer; login: go to the url',
      }),
      url: Type.String(),
    }),
  }),
})
