import type { Asked } from '@mainline/client/core'
import type { DataOf, Endpoint } from '@mainline/contract'
import { QueryClient, type QueryKey, queryOptions, useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { forgetUnsaved } from '../kit/unsaved.ts'
import { preferences } from '../preferences.ts'
import { call } from './call.ts'
import { type Subject, staleAfter } from './changes.ts'
import { mayPass, revisionNow } from './failures.ts'
import { momentAsked } from './moment.ts'
import { asRequest, type ChangeRequest, newRequest } from './request.ts'

export const questions = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Errors of the server are final; a missing answer is retried once.
      retry: (failures, error) => failures < 1 && mayPass(error),
      retryDelay: 500,
    },
    // A change that cannot be sent fails at once: sent later, it might surprise.
    mutations: { networkMode: 'always' },
  },
})

const fetchStarts = new WeakMap<QueryKey, number>()
/** When the query was last sent; 0 for never. */
export const startOfFetch = (key: QueryKey): number => fetchStarts.get(key) ?? 0

/** For data that should be fresh whenever it is shown: long enough that prefetched data is not fetched again. */
export const aMoment = 2_000

/** A cached query that is refetched after changes. */
export function ask<E extends Endpoint>(endpoint: E, asked: Asked<E>) {
  // Answers depend on the language and on the user.
  const { language, user } = preferences()
  return queryOptions<DataOf<E>, Error, DataOf<E>, QueryKey>({
    queryKey: [endpoint.area, endpoint.name, asked, language, user],
    queryFn: ({ signal, queryKey }) => {
      fetchStarts.set(queryKey, performance.now())
      return call(endpoint, { ...asked, signal })
    },
  })
}

/** The same as of the moment that the page shows. */
export const askThen = <E extends Endpoint>(endpoint: E, asked: Asked<E>) =>
  ask<E>(endpoint, { ...asked, query: { ...asked.query, ...momentAsked() } })

/** All fields of a record, and its revision. */
export const whole = ['*', 'bk_revision']

/** Queries mostly fail together, so they are retried together. */
export const retryAll = () =>
  void questions.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null })

export const refreshAfter = (subject: Subject): Promise<void> => staleAfter(questions, subject)

interface ChangeOptions {
  /** Changes of one queue run sequentially. */
  readonly queue?: string
  /** Why it is made, for the audit log. */
  readonly reason?: string
}

/** A change. Afterwards queries of its subject are refetched. `request` names the last one in the audit log. */
export function useChange<Input, Output>(
  subject: Subject,
  run: (input: Input, request: ChangeRequest) => Promise<Output>,
  { queue, reason }: ChangeOptions = {},
) {
  const last = useRef('')
  const mutation = useMutation<Output, Error, Input>({
    mutationFn: (input) => {
      const request = newRequest(reason)
      last.current = request.id
      return asRequest(request, () => run(input, request))
    },
    onSuccess: () => {
      forgetUnsaved()
      return refreshAfter(subject)
    },
    // Concurrent changes are shown before the user tries again.
    onError: (error) => (revisionNow(error) === undefined ? undefined : refreshAfter(subject)),
    ...(queue && { scope: { id: queue } }),
  })
  return { ...mutation, request: () => ({ request_id: last.current }) }
}
