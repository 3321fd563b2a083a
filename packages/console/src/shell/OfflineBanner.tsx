import { useIsReachable } from '../api/connection.ts'
import { Icon } from '../kit/Icon.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

/** Shown while the server is unreachable. Pages keep their data and what was typed, and continue by themselves. */
export function OfflineBanner() {
  const words = useWords(shell)
  const isReachable = useIsReachable()
  return (
    <div className="offline" role="status">
      {!isReachable && (
        <p className="notice warn">
          <Icon name="warning" />
          {words.offline}
        </p>
      )}
    </div>
  )
}
