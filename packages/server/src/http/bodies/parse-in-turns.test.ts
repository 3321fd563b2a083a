import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { measured } from '../../testing/measured.ts'
import { parseInTurns } from './parse-in-turns.ts'

const outcome = async (parse: () => unknown) => {
  try {
    return { value: await parse() }
  } catch (error) {
    return { refused: error instanceof SyntaxError }
  }
}

/** JSON values, repeated until they are large enough to be split. */
const large = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 1, max: 400 }), fc.constantFrom('list', 'object', 'nested'))
  .map(([value, count, as]) => {
    const many = Array.from({ length: count }, (_, index) => (index % 3 ? value : { value, pad: 'x'.repeat(index) }))
    if (as === 'list') return many
    const object = Object.fromEntries(many.map((each, index) => [`key "${index}" \\`, each]))
    return as === 'object' ? object : { a: 1, deep: [[object], { many }], b: null, __proto__x: 2 }
  })

describe('incremental JSON parsing', () => {
  it('returns the same value as JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(large, fc.constantFrom(undefined, 1, '\t'), async (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        expect(await parseInTurns(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 100 },
    )
  })

  it('fails where JSON.parse fails: texts with one character changed, removed or added', async () => {
    const edits = fc.tuple(
      fc.nat(),
      fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', '\\', '1', ' ', 'x'),
      fc.nat(1),
    )
    await fc.assert(
      fc.asyncProperty(large, edits, async (value, [at, put, removed]) => {
        const text = JSON.stringify(value)
        const index = at % text.length
        const edited = text.slice(0, index) + put + text.slice(index + removed)
        expect(await outcome(() => parseInTurns(edited))).toEqual(await outcome(() => JSON.parse(edited)))
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['blanks in brackets', `[${' '.repeat(20_000)}]`],
    ['a trailing comma', `[${'1,'.repeat(20_000)}]`],
    ['a leading comma', `[,${'1,'.repeat(20_000)}1]`],
    ['a comma too many before a long value', `[1,${'[2],'.repeat(2_100)},"${'x'.repeat(20_000)}"]`],
    ['a comma before the first long value', `[,"${'x'.repeat(20_000)}",1]`],
    ['the same in an object', `{"a":"${'x'.repeat(20_000)}",,"b":"${'x'.repeat(20_000)}"}`],
    ['brackets that do not belong together', `[${'1,'.repeat(20_000)}1}`],
    ['text behind the end', `[${'1,'.repeat(20_000)}1] x`],
    ['a long text', JSON.stringify(['x"\\'.repeat(20_000)])],
    ['names given twice', `{${Array.from({ length: 20_000 }, (_, index) => `"k${index % 7}":${index}`).join()}}`],
    ['the name of the prototype', `{"__proto__":{"a":${JSON.stringify('x'.repeat(20_000))}},"b":1}`],
    ['two values', `${'1'.repeat(20_000)} 2`],
  ])('treats %s as JSON.parse does', async (_, text) => {
    const expected = await outcome(() => JSON.parse(text))
    const found = await outcome(() => parseInTurns(text))
    expect(found).toEqual(expected)
    expect(JSON.stringify(found)).toBe(JSON.stringify(expected))
  })

  it('says where the text is wrong, counted from its beginning', async () => {
    const text = `{"a":[${'{},'.repeat(10_000)}{"b"}]}`
    await expect(parseInTurns(text)).rejects.toThrow(`at position ${text.length - 3}`)
    const key = `{"a":"${'x'.repeat(20_000)}","b" 1}`
    await expect(parseInTurns(key)).rejects.toThrow(`at position ${key.length - 2}`)
  })

  it('yields to the event loop while parsing', measured, async () => {
    const text = `[${'{},'.repeat(1_500_000)}{}]`
    // Processor time, so that waiting for a processor of a busy machine does not count.
    const usedMs = () => (process.threadCpuUsage().user + process.threadCpuUsage().system) / 1_000
    let [worst, last] = [0, usedMs()]
    const beat = setInterval(() => {
      worst = Math.max(worst, usedMs() - last)
      last = usedMs()
    }, 1)
    expect(await parseInTurns(text)).toHaveLength(1_500_001)
    clearInterval(beat)
    expect(worst).toBeLessThan(400)
  })
})
