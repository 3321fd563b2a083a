import { Failure as FailedCall } from '@mainline/client/core'
import { reasonIn, revisionNow } from '../api/failures.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'

/** The server's error message, with the request id for operators. */
export function Failure({ error, retry }: { error: Error; retry?: (() => void) | undefined }) {
  const words = useWords(common)
  const failed = error instanceof FailedCall ? error : null
  return (
    <div className="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>{explained(error, words)}</p>
        {failed && failed.code > 0 && (
          <p className="details">
            {words.code} <code>{failed.code}</code> · {words.request} <code>{failed.requestId}</code>
          </p>
        )}
      </div>
      {retry && <Button onPress={retry}>{words.retry}</Button>}
    </div>
  )
}

function explained(error: Error, words: typeof common.en): string {
  if (revisionNow(error) !== undefined) return words.changedMeanwhile
  const reason = reasonIn(error)
  if (reason) return reason
  if (!(error instanceof FailedCall)) return `${words.crashed} ${error.message}`
  return error.status === 0 ? words.unreachable : words.unexplained(error.status)
}
