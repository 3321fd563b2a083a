import type { SealWitness } from './seal-witness.ts'
import { lineOf } from './statement.ts'

const witnessTimeoutMs = 10_000

/** Posts each seal as JSON, in order, with retries until the status is 2xx. */
export const httpWitness = (address: string): SealWitness => ({
  async append(seals, signal) {
    for (const seal of seals) {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `${lineOf(seal)}\n`,
        // Redirects are not followed: they could lead to a server that the operator has not configured.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(witnessTimeoutMs)]),
      })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`the witness answered ${answer.status} to the seal of segment ${seal.segment}`)
    }
  },
})
