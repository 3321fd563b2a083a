import type { Language } from '@mainline/contract'
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

/** Preferences stored in this browser. Everything else is in the URL or on the server. */
interface Preferences {
  readonly language: Language
  readonly theme: Theme
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
    // The page also works in a browser without storage.
  }
  show()
  for (const listener of listeners) listener()
}

/** Set on the document: its language for screen readers, its theme for the styles. */
export function show(): void {
  document.documentElement.lang = current.language === 'en' ? 'en' : 'zh-CN'
  document.documentElement.dataset.theme = current.theme
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences, preferences)
