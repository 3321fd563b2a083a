import Type from 'typebox'
import { anyone } from './allow.ts'
import { endpoint } from './endpoint.ts'

/** The ways in which callers can be told apart. */
export const authModes = ['open', 'token', 'proxy', 'oidc'] as const
export type AuthMode = (typeof authModes)[number]

const OrNull = (text: string) => Type.Union([Type.String({ description: text }), Type.Null()])

export const getSession = endpoint({
  name: 'get_session',
  method: 'GET',
  path: '/session',
  area: 'Identity',
  summary: 'Tell who the caller is, and how to sign in.',
  allow: anyone,
  anonymous: true,
  data: Type.Object({
    auth: Type.Union(
      authModes.map((mode) => Type.Literal(mode)),
      { description: 'how callers are identified' },
    ),
    user: OrNull('null while nobody is signed in'),
    bk_supplier_account: OrNull('the account that is used when a request names none'),
    confined: Type.Boolean({ description: 'whether another account may not be named' }),
    administrator: Type.Boolean(),
    read_only: Type.Boolean({ description: 'whether operations that change anything are refused' }),
    language: Type.String(),
    sign_in: Type.Object({
      way: Type.Union([Type.Literal('none'), Type.Literal('token'), Type.Literal('login')], {
        description: 'none: nothing to do here; token: send one as Authorization: Bearer; login: go to the url',
      }),
      url: Type.String(),
    }),
  }),
})
