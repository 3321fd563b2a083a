import type { Language } from '@mainline/contract'
import { useSyncExternalStore } from 'react'

export const languages = ['en', 'zh-cn'] as const satisfies readonly Language[]
export const themes = ['system', 'light', 'dark'] as const
export const densities = ['normal', 'compact'] as const
export const pageSizes = [25, 50, 100, 200] as const

/** Preferences that follow the user to other browsers; see api/settings.ts. This browser stores them too, for the first paint. */
export interface Display {
  readonly language: Language
  readonly theme: (typeof themes)[number]
  readonly density: (typeof densities)[number]
  /** Empty for that of the browser. */
  readonly timeZone: string
  /** Rows per page of lists. */
  readonly pageSize: (typeof pageSizes)[number]
  /** The tour was finished or skipped: it is not offered again. */
  readonly toured: boolean
}

/** Preferences stored in this browser. Everything else is in the URL or on the server. */
interface Preferences extends Display {
  /** The user with open identity; empty leaves it to the server. */
  readonly user: string
  /** The current business. */
  readonly business: number | null
  /** Whether the first steps are hidden. */
  readonly settled: boolean
}

const key = 'mainline'
const listeners = new Set<() => void>()
let current: Preferences = { ...defaults(), ...stored() }

function defaults(): Preferences {
  const language = navigator.language.startsWith('zh') ? 'zh-cn' : 'en'
  const display: Display = {
    language,
    theme: 'system',
    density: 'normal',
    timeZone: '',
    pageSize: 50,
    toured: false,
  }
  return { ...display, user: '', business: null, settled: false }
}

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}')
  } catch {
    return {}
  }
}

/** The valid ones of stored preferences. */
export function displayIn(stored: unknown): Partial<Display> {
  const { language, theme, density, timeZone, pageSize, toured } = (stored ?? {}) as Partial<
    Record<keyof Display, unknown>
  >
  return {
    ...oneOf('language', languages, language),
    ...oneOf('theme', themes, theme),
    ...oneOf('density', densities, density),
    ...oneOf('timeZone', timeZones(), timeZone),
    ...oneOf('pageSize', pageSizes, pageSize),
    ...oneOf('toured', [false, true], toured),
  }
}

/** Of the browser, and empty for its own. */
export const timeZones = (): string[] => ['', 'UTC', ...Intl.supportedValuesOf('timeZone')]

const oneOf = <Key extends string, Value>(key: Key, values: readonly Value[], value: unknown) => {
  const found = values.find((each) => each === value)
  return (found === undefined ? {} : { [key]: found }) as { [K in Key]?: Value }
}

export const preferences = (): Preferences => current

export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(key, JSON.stringify(current))
  } catch {
    // The page also works in a browser without storage.
  }
  show()
  for (const listener of listeners) listener()
}

/** Set on the document: its language for screen readers, its theme for the styles. */
export function show(): void {
  document.documentElement.lang = current.language === 'en' ? 'en' : 'zh-CN'
  document.documentElement.dataset.theme = current.theme
  document.documentElement.dataset.density = current.density
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences, preferences)
