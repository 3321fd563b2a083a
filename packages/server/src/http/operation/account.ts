// The account of a request, and the caller in it.
import { type Endpoint, isBlank, longestAccount, problem, rule } from '@mainline/contract'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { present } from '../../common/present.ts'
import { type Identity, otherAccount } from '../../identity/index.ts'
import { isObject } from '../dialect.ts'

const field = 'bk_supplier_account'

/** Set by admission, before any operation. */
export const identityOf = ({ identity }: FastifyRequest): Identity => present(identity)

/** The account is taken from the path, else from the body if the endpoint has it there, else from the headers. */
export function callerOf(identity: Identity, params: Record<string, unknown>, inBody: string | undefined): Identity {
  const inPath = typeof params[field] === 'string' ? params[field] : undefined
  if (identity.confined && [inPath, inBody].some((named) => named !== undefined && named !== identity.account)) {
    throw otherAccount(identity.account)
  }
  const account = inPath ?? inBody ?? identity.account
  // Unknown callers have the empty account.
  if (account !== '' && isBlank(account)) throw problem('unassigned', { field })
  if (account.length > longestAccount) {
    throw problem('invalid', { field, rule: rule('atMostCharacters', { max: longestAccount, got: account.length }) })
  }
  if (/\p{Cc}/u.test(account)) throw problem('invalid', { field, rule: rule('text') })
  return account === identity.account ? identity : { ...identity, account }
}

export const namesAccountInBody = ({ body }: Endpoint): boolean => Type.IsObject(body) && field in body.properties

export function accountInBody(body: unknown): string | undefined {
  const account = isObject(body) ? body[field] : undefined
  return typeof account === 'string' && account !== '' ? account : undefined
}
