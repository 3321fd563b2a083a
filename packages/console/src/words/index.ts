// The console's own texts in both languages; one file per page. Names of objects and attributes come from the server.
import type { Language } from '@mainline/contract'
import { preferences, usePreferences } from '../preferences.ts'
import { zoneInUse } from '../zone.ts'

type InBoth<Words> = Readonly<Record<Language, Words>>

/** The compiler checks that both languages have the same keys. */
export const inBoth = <Words>(en: Words, zh: NoInfer<Words>): InBoth<Words> => ({ en, 'zh-cn': zh })

export const useWords = <Words>(words: InBoth<Words>): Words => words[usePreferences().language]

const locale = () => (preferences().language === 'en' ? 'en-GB' : 'zh-CN')
/** Cached: creating a formatter takes far longer than using it, and a tree has thousands of numbers. */
const numbers = { en: new Intl.NumberFormat('en-GB'), 'zh-cn': new Intl.NumberFormat('zh-CN') }
export const number = (value: number): string => numbers[preferences().language].format(value)
export const moment = (iso: string): string =>
  new Date(iso).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'medium', timeZone: zoneInUse() })
export const day = (iso: string): string =>
  new Date(iso).toLocaleDateString(locale(), { dateStyle: 'full', timeZone: zoneInUse() })
export const clock = (iso: string): string => new Date(iso).toLocaleTimeString(locale(), { timeZone: zoneInUse() })

/** "2 sets" but "1 set"; Chinese has one form for both. */
export const plural = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`
