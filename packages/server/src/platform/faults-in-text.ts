// What is wrong with a text that a library could not read. Libraries say so in English only.
import type { Rule } from '@mainline/contract'

/** Of `JSON.parse`. */
export function jsonFault(text: string, error: unknown): Rule {
  const english = error instanceof Error ? error.message : String(error)
  return [english, jsonFaultInChinese(text, english)]
}

function jsonFaultInChinese(text: string, english: string): string {
  const [, token] = /^Unexpected token '(.+?)', /su.exec(english) ?? []
  if (token !== undefined) return `出现意外的 '${token}'`
  const [, position] = / at position (\d+)/.exec(english) ?? []
  if (position === undefined) return english.includes('end of JSON') ? '内容不完整' : '不是有效的 JSON'
  const before = text.slice(0, Number(position)).split('\n')
  return `第 ${before.length} 行第 ${(before.at(-1)?.length ?? 0) + 1} 个字符处不符合 JSON 语法`
}

/** Of RE2, which quotes what it could not read. */
export function patternFault(error: unknown): Rule {
  const english = error instanceof Error ? error.message : String(error)
  const [, quoted] = /: (`.*`)$/s.exec(english) ?? []
  return [english, quoted === undefined ? '表达式不完整' : `无法解析 ${quoted}`]
}
