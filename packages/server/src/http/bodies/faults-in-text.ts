// Translates parse errors of libraries, which exist in English only.
import type { Rule } from '@mainline/contract'

/** An error of `JSON.parse`. */
export function jsonFault(text: string, error: unknown): Rule {
  const english = error instanceof Error ? error.message : String(error)
  return [english, jsonFaultInChinese(text, english)]
}

function jsonFaultInChinese(text: string, english: string): string {
  const [, token] = /^Unexpected token '(.+?)', /su.exec(english) ?? []
  if (token !== undefined) return `出现意外的 '${token}'`
  const [, position] = / at position (\d+)/.exec(english) ?? []
  if (position === undefined) return english.includes('end of JSON') ? '内容不完整' : '不是有效的 JSON'
  const at = Number(position)
  let [line, begin] = [1, 0]
  // Not by splitting: a body of eight million line breaks would be as many texts.
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', begin))
    [line, begin] = [line + 1, next + 1]
  return `第 ${line} 行第 ${at - begin + 1} 个字符处不符合 JSON 语法`
}

/** An error of RE2, which quotes the part of the pattern that it could not parse. */
export function patternFault(error: unknown): Rule {
  const english = error instanceof Error ? error.message : String(error)
  const [, quoted] = /: (`.*`)$/s.exec(english) ?? []
  return [english, quoted === undefined ? '表达式不完整' : `无法解析 ${quoted}`]
}
