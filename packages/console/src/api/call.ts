import { type Asked, createCaller } from '@mainline/client/core'
import type { DataOf, Endpoint } from '@mainline/contract'
import { preferences } from '../preferences.ts'
import { checkConnection } from './connection.ts'
import { setExpired } from './expiry.ts'
import { isUnanswered, isUnauthenticated } from './failures.ts'
import { ofRequest } from './request.ts'

/** The supplier account the console works in. */
export const account = '0'

const tokenKey = 'mainline.token'

/** A token lasts as long as the tab: it is not left behind on the disk. */
export function keepToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(tokenKey)
  else sessionStorage.setItem(tokenKey, token)
}
export const hasToken = (): boolean => sessionStorage.getItem(tokenKey) !== null

/** As the current user, in their language. Queries are retried by their cache, and changes by the user. */
export function caller(retries = 0) {
  const { language, user } = preferences()
  const token = sessionStorage.getItem(tokenKey)
  return createCaller({
    url: location.origin,
    language,
    retries,
    ...(user && { user }),
    ...(token && { token }),
  })
}

/** One operation of the public interface. A record is returned with its revision. */
export async function call<E extends Endpoint>(endpoint: E, asked: Asked<E>): Promise<DataOf<E>> {
  const { data, revision } = await caller()
    .callWithRevision(endpoint, endpoint.effect === 'write' ? { ...ofRequest(), ...asked } : asked)
    .catch((error) => {
      if (isUnauthenticated(error)) setExpired(true)
      if (isUnanswered(error) && !asked.signal?.aborted) void checkConnection()
      throw error
    })
  return revision === undefined ? data : ({ ...(data as object), bk_revision: revision } as DataOf<E>)
}
