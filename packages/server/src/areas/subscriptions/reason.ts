import type { Language, Rule } from '@mainline/contract'

/** Why a push failed, as it is stored: a line in each language, so that everybody can be told in their own. */
export const writeReason = (why: Rule): string => why.map((text) => text.replaceAll('\n', ' ')).join('\n')

/** Earlier versions have stored one line. */
export function readReason(stored: string, language: Language): string {
  const [en = '', zh = en] = stored.split('\n')
  return language === 'en' ? en : zh
}
