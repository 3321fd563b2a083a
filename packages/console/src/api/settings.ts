import { settings } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Display, displayIn, prefer, usePreferences } from '../preferences.ts'
import { ask, refreshAfter } from './ask.ts'
import { call } from './call.ts'

/** The settings of the user, kept on the server. */
export const ownSettings = () => ({ ...ask(settings.searchUserCustom, {}), staleTime: 60_000 })

const displayOf = (found: object): unknown => ('console' in found ? found.console : undefined)

/** Applies the preferences that the user has chosen in any browser. */
export function useStoredDisplay(user: string | null | undefined): void {
  const stored = useQuery({ ...ownSettings(), enabled: Boolean(user), select: displayOf }).data
  useEffect(() => {
    const display = displayIn(stored)
    if (Object.keys(display).length > 0) prefer(display)
  }, [stored])
}

/** Whether the user has neither finished nor skipped the tour, in any browser. False while that is unknown. */
export function useFirstVisit(user: string | null | undefined): boolean {
  const { toured } = usePreferences()
  const { data, isSuccess } = useQuery({ ...ownSettings(), enabled: Boolean(user), select: displayOf })
  return !toured && isSuccess && displayIn(data).toured !== true
}

/** Applies preferences at once, and keeps them for the user. Others keep the default of their browser. */
export async function chooseDisplay(change: Partial<Display>): Promise<void> {
  prefer(change)
  const stored = displayIn(displayOf(await call(settings.searchUserCustom, {})))
  await call(settings.saveUserCustom, { body: { console: { ...stored, ...change } } })
  await refreshAfter('settings')
}
