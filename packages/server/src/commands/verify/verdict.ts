import type { StateVerdict } from '../../areas/history/past/index.ts'
import { Refusal } from '../../common/refusal.ts'
import { describeFault, type Verdict } from '../../storage/index.ts'

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

/** A copy of a damaged log is complete, but its creator must be warned. */
export function intactOrRefuse(what: string, { faults }: Verdict): void {
  if (faults.length === 0) return
  throw new Refusal(`${what} is NOT intact:\n${faults.map((fault) => `  ${describeFault(fault)}`).join('\n')}`)
}

/** The result of `verify --state` without a difference, including what was not compared. */
export function describeState({ rows, position, records, unfinished }: StateVerdict): string {
  const shown = `${counted(rows, 'stored row')} and ${counted(records, 'record')} of the log`
  const open = unfinished.length > 0 ? `; still being derived: ${unfinished.join(', ')}` : ''
  return `The past agrees with ${shown}, up to record ${Math.max(0, position)}${open}.\n`
}

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString()

/** The results of signatures and witness, line by line, including what was not checked. */
export function describeProofs({ segments, attested }: Verdict): string {
  if (!attested) return ''
  const { signed, firstSigned, unchecked, witnessed, lastWitnessed, givenUp } = attested
  const lines = [
    ...(firstSigned
      ? [
          `Signed: ${signed} of ${counted(segments, 'segment')}, since segment ${firstSigned.segment} of ${timeOf(firstSigned.sealed_at)}.`,
        ]
      : []),
    ...(unchecked > 0 ? [`Not checked: the signatures of ${counted(unchecked, 'segment')} (--public-key FILE).`] : []),
    ...(lastWitnessed
      ? [
          `Witnessed: ${counted(witnessed, 'segment')}, the last is segment ${lastWitnessed.segment}, up to record ${lastWitnessed.last_position}, sealed at ${timeOf(lastWitnessed.sealed_at)}; ${segments - witnessed} not witnessed.`,
        ]
      : []),
    ...(givenUp > 0 ? [`Given up by a restore that is signed: ${counted(givenUp, 'witnessed segment')}.`] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
