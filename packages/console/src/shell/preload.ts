import { useEffect } from 'react'
import { loadAccountMenu } from './AccountMenu.tsx'
import { loadBusinessChoices } from './BusinessSwitcher.tsx'
import { loadLeaveDialog } from './LeaveGuard.tsx'
import { loadPalette } from './palette/PaletteGate.tsx'

const signs = ['pointermove', 'pointerdown', 'keydown'] as const
const parts = [loadPalette, loadAccountMenu, loadBusinessChoices, loadLeaveDialog]

/**
 * The first page is shown without menus and dialogs. They are loaded when the user first moves or presses anything, so that they open without a
 * pause, and also if the server is unreachable by then.
 */
export function usePreload(): void {
  useEffect(() => {
    const load = () => {
      forget()
      // A part that is missing is loaded again, and reported, when it is opened.
      for (const part of parts) void part().catch(() => {})
    }
    const forget = () => {
      for (const sign of signs) removeEventListener(sign, load)
    }
    for (const sign of signs) addEventListener(sign, load)
    return forget
  }, [])
}
