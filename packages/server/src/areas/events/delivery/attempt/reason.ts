import type { Language, Rule } from '@mainline/contract'

/** The stored reason of a failed push: one line per language. */
export const writeReason = (why: Rule): string => why.map((text) => text.replaceAll('\n', ' ')).join('\n')

/** Earlier versions stored one line. */
export function readReason(stored: string, language: Language): string {
  const [en = '', zh = en] = stored.split('\n')
  return language === 'en' ? en : zh
}
