import { lazy, Suspense } from 'react'
import { askUndo, useUndoAsked } from '../kit/undo.ts'

const UndoDialog = lazy(() => import('../pages/undo/UndoDialog.tsx').then((page) => ({ default: page.UndoDialog })))

/** The dialog of an undo, wherever it was asked for. It is loaded with the first one. */
export function UndoGate() {
  const asked = useUndoAsked()
  if (!asked) return null
  return (
    <Suspense>
      <UndoDialog key={JSON.stringify(asked)} target={asked} onClose={() => askUndo(null)} />
    </Suspense>
  )
}
