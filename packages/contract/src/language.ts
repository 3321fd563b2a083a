/** The languages of every message and built-in name. */
export const languages = ['en', 'zh-cn'] as const
export type Language = (typeof languages)[number]

/** A text in each language. */
export interface Words {
  readonly en: string
  readonly 'zh-cn': string
}

export const words = (en: string, zh: string): Words => ({ en, 'zh-cn': zh })
