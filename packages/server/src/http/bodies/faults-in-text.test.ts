import { describe, expect, it } from 'vitest'
import { readPattern } from '../../condition/pattern.ts'
import { parseBody } from './body.ts'

/** The message of the problem that `work` throws, in both languages. */
function refusal(work: () => unknown): { en: string; zh: string } {
  try {
    work()
  } catch (error) {
    const { text } = error as { text(language: string): string }
    return { en: text.call(error, 'en'), zh: text.call(error, 'zh-cn') }
  }
  throw new Error('nothing was refused')
}

describe('JSON parse errors are reported in both languages', () => {
  it.each([
    ['{"a": 1,}', 'Expected double-quoted property name in JSON at position 8', '第 1 行第 9 个字符处不符合 JSON 语法'],
    ['{\n"a" 1}', 'at position 6', '第 2 行第 5 个字符处不符合 JSON 语法'],
    ['{"a": NaN}', "Unexpected token 'N'", "出现意外的 'N'"],
    ['tru', 'Unexpected end of JSON input', '内容不完整'],
    ['undefined', 'is not valid JSON', '不是有效的 JSON'],
  ])('%s', (text, en, zh) => {
    const found = refusal(() => parseBody(Buffer.from(text)))
    expect(found.en).toContain(en)
    expect(found.zh).toBe(`JSON 数据反序列化失败：${zh}`)
  })
})

describe('pattern errors are reported in both languages', () => {
  it.each([
    ['[', 'missing closing ]: `[`', '无法解析 `[`'],
    ['a**', 'invalid nested repetition operator: `**`', '无法解析 `**`'],
    ['\\', 'trailing backslash at end of expression', '表达式不完整'],
    ['x'.repeat(1_001), 'the pattern is longer than 1000 characters', '正则表达式超过 1000 个字符'],
    ['a{2000}{2}', 'the pattern is too complex', '正则表达式过于复杂'],
  ])('%s', (pattern, en, zh) => {
    const found = refusal(() => readPattern('field', pattern))
    expect(found.en).toContain(en)
    expect(found.zh).toBe(`'field' 参数校验不通过：必须是有效的 RE2 正则表达式：${zh}`)
  })
})
