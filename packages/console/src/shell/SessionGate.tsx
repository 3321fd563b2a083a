import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useSyncExternalStore } from 'react'
import { Refusal } from '../api/call.ts'
import { Empty } from '../kit/Blank.tsx'
import { Failure } from '../kit/Failure.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

/** Once the server says that it does not know the caller, no page makes sense until it does. */
export function SessionGate({ children }: { children: ReactNode }) {
  const words = useWords(shell)
  const questions = useQueryClient()
  const cache = questions.getQueryCache()
  const stranger = useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    () =>
      cache.getAll().find((query) => query.state.error instanceof Refusal && query.state.error.status === 401)?.state
        .error,
  )
  if (!stranger) return children
  return (
    <main className="page" id="content">
      <Empty title={words.signedOut}>
        <Failure error={stranger} retry={() => questions.resetQueries()} />
      </Empty>
    </main>
  )
}
