import { areas } from '@mainline/contract'
import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { type Subject, staleAfter } from './changes.ts'

async function staleAreas(subject: Subject): Promise<string[]> {
  const cache = new QueryClient()
  for (const area of areas) cache.setQueryData([area, 'an operation'], {})
  await staleAfter(cache, subject)
  const queries = cache.getQueryCache().getAll()
  return queries.filter(({ state }) => state.isInvalidated).map(({ queryKey }) => String(queryKey[0]))
}

it('refetches what a change may have changed, and the audit records of it', async () => {
  expect(await staleAreas('settings')).toEqual(['User settings', 'Audit'])
  expect(await staleAreas('queries')).toEqual(['Custom queries', 'Audit', 'Events'])
  expect(await staleAreas('hosts')).toEqual(['Topology', 'Hosts', 'Custom queries', 'Privileges', 'Audit', 'Events'])
})

it('refetches everything after a change of privileges', async () => {
  expect(await staleAreas('privileges')).toEqual([...areas])
})
