// Every word the console itself says, in both languages; one file per page. Names of objects and attributes come from the server.
import type { Language } from '@mainline/contract'
import { preferences, usePreferences } from '../preferences.ts'

export type InBoth<Words> = Readonly<Record<Language, Words>>

/** Both languages must say the same things: the compiler compares them. */
export const inBoth = <Words>(en: Words, zh: NoInfer<Words>): InBoth<Words> => ({ en, 'zh-cn': zh })

export const useWords = <Words>(words: InBoth<Words>): Words => words[usePreferences().language]

const locale = () => (preferences().language === 'en' ? 'en-GB' : 'zh-CN')
/** Made once: making one takes far longer than using it, and a tree shows thousands. */
const numbers = { en: new Intl.NumberFormat('en-GB'), 'zh-cn': new Intl.NumberFormat('zh-CN') }
export const number = (value: number): string => numbers[preferences().language].format(value)
export const moment = (iso: string): string =>
  new Date(iso).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'medium' })
export const day = (iso: string): string => new Date(iso).toLocaleDateString(locale(), { dateStyle: 'full' })
export const clock = (iso: string): string => new Date(iso).toLocaleTimeString(locale())

/** "2 sets" but "1 set"; Chinese has one form for both. */
export const plural = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`
