import { audit, type DataOf } from '@mainline/contract'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'

type Step = DataOf<typeof audit.getLogIntegrity>
export type Fault = Step['faults'][number]
/** The result so far. */
export type Seen = Omit<Step, 'next'>

export interface Verification {
  readonly phase: 'running' | 'done'
  readonly seen: Seen
  readonly error: Error | null
}

const nothing: Seen = {
  segments: 0,
  records: 0,
  unsealed: 0,
  removed: 0,
  restores: 0,
  signed: 0,
  witnessed: null,
  checked: 0,
  position: 0,
  faults: [],
}

const together = (before: Seen, { next: _, ...step }: Step): Seen => ({
  ...step,
  segments: before.segments + step.segments,
  records: before.records + step.records,
  removed: before.removed + step.removed,
  restores: before.restores + step.restores,
  signed: before.signed + step.signed,
  faults: [...before.faults, ...step.faults],
})

/** Lets the server verify the log step by step, until the page is closed or the user stops it. */
export function useVerification() {
  const [state, setState] = useState<Verification | null>(null)
  const running = useRef<AbortController | null>(null)
  const stop = () => {
    running.current?.abort()
    setState(null)
  }
  useEffect(() => () => running.current?.abort(), [])

  const start = async () => {
    running.current?.abort()
    const asked = new AbortController()
    running.current = asked
    let seen = nothing
    const show = (phase: Verification['phase'], error: Error | null = null) =>
      asked.signal.aborted || setState({ phase, seen, error })
    show('running')
    try {
      for (let next: number | null = 0; next !== null; ) {
        const step: Step = await call(audit.getLogIntegrity, {
          query: { after: next },
          signal: asked.signal,
        })
        seen = together(seen, step)
        next = step.next
        show(next === null ? 'done' : 'running')
      }
    } catch (error) {
      show('done', error as Error)
    }
  }
  return { state, start, stop }
}
