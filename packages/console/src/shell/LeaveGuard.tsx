import { useBlocker } from '@tanstack/react-router'
import { Dialog } from '../kit/Dialog.tsx'
import { hasUnsaved } from '../kit/unsaved.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'

interface Address {
  readonly pathname: string
  readonly search: object
}

/** Parameters that choose what a page shows; others, such as a search text, leave its forms in place. */
const subjects = ['node', 'tab', 'group', 'query']

const valuesIn = ({ search }: Address) => {
  const values = new Map(Object.entries(search))
  return subjects.map((name) => values.get(name)).join()
}

const isLost = ({ current, next }: { current: Address; next: Address }): boolean =>
  hasUnsaved() && (current.pathname !== next.pathname || valuesIn(current) !== valuesIn(next))

/** Asks before an address is left whose forms have unsaved changes. Closing the tab is confirmed by the browser. */
export function LeaveGuard() {
  const words = useWords(common)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isLost,
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Dialog
      title={words.leaveTitle}
      action={words.discard}
      cancel={words.keepEditing}
      danger
      onAction={proceed}
      onClose={reset}
    >
      <p>{words.discardWhy}</p>
    </Dialog>
  )
}
