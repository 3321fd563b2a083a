import { Refusal } from '../platform/refusal.ts'
import { describeFault, type Verdict } from '../platform/storage/index.ts'

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The result of `verify` for a log without faults. Records without a seal are only checked for gaps, so the text says how many there are. */
export function describeIntact({ segments, records, unsealed, removed, restores }: Verdict): string {
  if (segments === 0 && unsealed > 0) {
    return `The log is intact so far: ${counted(unsealed, 'record')} without a gap, none sealed yet (a running server seals once a minute).`
  }
  const gone = removed > 0 ? `, ${removed} removed by retention` : ''
  const restored = restores > 0 ? `; restored ${restores === 1 ? 'once' : `${restores} times`}` : ''
  const open = unsealed > 0 ? `, ${unsealed} newer without a gap and not sealed yet` : ''
  return `The log is intact: ${counted(records, 'record')} in ${counted(segments, 'sealed segment')}${open}${gone}${restored}.`
}

/** A copy of a log that was tampered with is a faithful copy; whoever made it has to hear of it all the same. */
export function intactOrRefuse(what: string, { faults }: Verdict): void {
  if (faults.length === 0) return
  throw new Refusal(`${what} is NOT intact:\n${faults.map((fault) => `  ${describeFault(fault)}`).join('\n')}`)
}
