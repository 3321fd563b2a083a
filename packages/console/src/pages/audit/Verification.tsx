import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { Progress } from '../../kit/Progress.tsx'
import { audit } from '../../words/audit.ts'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import type { Verification as State } from './verification.ts'

/** Enough to see what has happened; the rest is in the server's log. */
const mostFaults = 20

/** The progress and the result of the verification. */
export function Verification({ state, onClose }: { state: State; onClose(): void }) {
  const words = useWords(audit)
  const general = useWords(common)
  const { phase, seen, error } = state
  if (error) return <Failure error={error} />
  const broken = seen.faults.length > 0
  // Without a seal only gaps can be detected.
  const nothingSealed = seen.segments === 0
  const verdict = broken ? words.broken(seen.faults.length) : nothingSealed ? words.nothingSealed : words.intact
  const looks = broken ? 'bad' : phase === 'done' && !nothingSealed ? 'good' : ''
  return (
    <section className={`notice verification ${looks}`} aria-label={words.verify}>
      <Icon name={broken ? 'warning' : looks === 'good' ? 'check' : 'privileges'} />
      <div>
        <p role="status">
          {phase === 'running' && words.verifying(seen.checked, seen.position)}
          {phase === 'done' && <strong>{verdict}</strong>}
        </p>
        {phase === 'running' ? (
          <Progress label={words.verifying(seen.checked, seen.position)} done={seen.checked} of={seen.position} />
        ) : (
          <p>{words.verified(seen)}</p>
        )}
        {phase === 'done' && !nothingSealed && <p>{words.attested(seen)}</p>}
        {broken && (
          <ul>
            {seen.faults.slice(0, mostFaults).map((each) => (
              <li key={`${each.fault} ${each.first_position}`}>{words.fault(each)}</li>
            ))}
            {seen.faults.length > mostFaults && <li>{words.moreFaults(seen.faults.length - mostFaults)}</li>}
          </ul>
        )}
      </div>
      <Button
        look="quiet"
        icon="close"
        label={phase === 'running' ? general.cancel : general.close}
        onPress={onClose}
      />
    </section>
  )
}
