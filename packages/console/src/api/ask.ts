import type { DataOf, Endpoint } from '@mainline/contract'
import { QueryClient, type QueryKey, queryOptions, useMutation } from '@tanstack/react-query'
import { preferences } from '../preferences.ts'
import { call, type Given, Refusal } from './call.ts'

export const questions = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What the server has refused it will refuse again; what did not arrive may be tried once more.
      retry: (failures, error) => failures < 1 && (!(error instanceof Refusal) || error.isPassing),
      retryDelay: 500,
    },
  },
})

/** For what should be new whenever it is looked at: long enough that what was asked for ahead is not asked for again. */
export const aMoment = 2_000

/** A question that is asked once, kept, and asked again when something has changed. */
export function ask<E extends Endpoint>(endpoint: E, given: Given<E>) {
  // Whoever asks in another language, or as somebody else, gets another answer.
  const { language, user } = preferences()
  return queryOptions<DataOf<E>, Error, DataOf<E>, QueryKey>({
    queryKey: [endpoint.name, given, language, user],
    queryFn: ({ signal }) => call(endpoint, given, signal),
  })
}

/** What has failed mostly failed together, and is asked for again together. */
export const retryAll = () =>
  void questions.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null })

/** A change. Afterwards everything on the screen is asked for again. Those of one `queue` are made one after another. */
export function useChange<Input, Output>(run: (input: Input) => Promise<Output>, queue?: string) {
  return useMutation<Output, Error, Input>({
    mutationFn: run,
    onSuccess: () => questions.invalidateQueries(),
    ...(queue && { scope: { id: queue } }),
  })
}
