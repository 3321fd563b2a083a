import { Refusal } from '../platform/refusal.ts'
import { describeFault, type Verdict } from '../platform/storage/index.ts'

/** What `verify` says of a log that is as it was sealed. */
export function describeIntact({ segments, records, unsealed, removed, restores }: Verdict): string {
  const gone = removed > 0 ? `, ${removed} removed by retention` : ''
  const restored = restores > 0 ? `; restored ${restores === 1 ? 'once' : `${restores} times`}` : ''
  return `The log is intact: ${records} records in ${segments} sealed segments, ${unsealed} not yet sealed${gone}${restored}.`
}

/** A copy of a log that was tampered with is a faithful copy; whoever made it has to hear of it all the same. */
export function intactOrRefuse(what: string, { faults }: Verdict): void {
  if (faults.length === 0) return
  throw new Refusal(`${what} is NOT intact:\n${faults.map((fault) => `  ${describeFault(fault)}`).join('\n')}`)
}
