import { Refusal } from '../api/call.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'

/** What went wrong, in the server's own sentence, with what somebody needs who is asked about it. */
export function Failure({ error, retry }: { error: Error; retry?: (() => void) | undefined }) {
  const words = useWords(common)
  const refusal = error instanceof Refusal ? error : null
  const text = refusal
    ? refusal.message || (refusal.status === 0 ? words.unreachable : words.unexplained(refusal.status))
    : `${words.crashed} ${error.message}`
  return (
    <div className="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>{text}</p>
        {refusal && refusal.code > 0 && (
          <p className="details">
            {words.code} <code>{refusal.code}</code> · {words.request} <code>{refusal.requestId}</code>
          </p>
        )}
      </div>
      {retry && <Button onPress={retry}>{words.retry}</Button>}
    </div>
  )
}
