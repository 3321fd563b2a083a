import type { Language } from '@mainline/contract'
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

/** What this browser remembers about the person in front of it. Everything else is in the URL or on the server. */
export interface Preferences {
  readonly language: Language
  readonly theme: Theme
  /** Whom the console speaks as while identity is open; empty leaves it to the server. */
  readonly user: string
  /** The business last looked at. */
  readonly business: number | null
  /** Whether the first steps need not be shown any more. */
  readonly settled: boolean
}

const key = 'mainline'
const listeners = new Set<() => void>()
let current: Preferences = { ...defaults(), ...stored() }

function defaults(): Preferences {
  const language = navigator.language.startsWith('zh') ? 'zh-cn' : 'en'
  return { language, theme: 'system', user: '', business: null, settled: false }
}

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}')
  } catch {
    return {}
  }
}

export const preferences = (): Preferences => current

export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(key, JSON.stringify(current))
  } catch {
    // A browser that keeps nothing still shows everything.
  }
  show()
  for (const listener of listeners) listener()
}

/** The document itself must know: its language for screen readers, its theme for the tokens. */
export function show(): void {
  document.documentElement.lang = current.language === 'en' ? 'en' : 'zh-CN'
  document.documentElement.dataset.theme = current.theme
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences)
