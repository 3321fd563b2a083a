import { problem, rule } from '@mainline/contract'
import { currentRequest } from '../common/caller.ts'
import { inTurns } from '../common/concurrency/turns.ts'
import { inlineMatching, matchTexts, maxRequestMatchingMs, maxSteps, stepsOf } from '../matching/index.ts'
import { type Condition, type Fields, type PatternLeaf, patternsIn } from './condition.ts'
import { type Find, meets, type Row, valuesOf } from './evaluate.ts'

interface Sifting<Each> {
  readonly condition: Condition
  readonly fields: Fields
  /** The row in the form of the condition. */
  readonly view: (each: Each) => Row
}

/**
 * The matching rows, found without holding the event loop. Patterns on few and short texts are matched here; the rest in threads, within the budget
 * of the request and of its caller.
 */
export async function sift<Each>(rows: readonly Each[], sifting: Sifting<Each>): Promise<Each[]> {
  const { condition, fields, view } = sifting
  const leaves = patternsIn(condition)
  const passed: Each[] = []
  const test = (each: Each, row: Row, find?: Find) => {
    if (meets(row, condition, fields, find)) passed.push(each)
  }
  if (leaves.length === 0) {
    await inTurns(rows, (each) => test(each, view(each)))
    return passed
  }
  const tried = siftHere(rows, leaves, sifting, test)
  if (tried === rows.length) return passed
  const rest = rows.slice(tried)
  const find = await findInThreads(rest, leaves, sifting)
  await inTurns(rest, (each) => test(each, view(each), find))
  return passed
}

/** Number of rows that were matched on the event loop. */
function siftHere<Each>(
  rows: readonly Each[],
  leaves: readonly PatternLeaf[],
  { fields, view }: Sifting<Each>,
  test: (each: Each, row: Row) => void,
): number {
  const inline = inlineMatching()
  const stepsOfRow = (row: Row) => {
    let steps = 0
    for (const leaf of leaves) for (const text of textsOf(row, leaf, fields)) steps += stepsOf(leaf.test.pattern, text)
    return steps
  }
  let tried = 0
  for (const each of rows) {
    const row = view(each)
    if (!inline.allows(stepsOfRow(row))) break
    test(each, row)
    tried++
  }
  inline.end()
  return tried
}

async function findInThreads<Each>(
  rows: readonly Each[],
  leaves: readonly PatternLeaf[],
  { fields, view }: Sifting<Each>,
): Promise<Find> {
  const answers = new Map<unknown, ReadonlyMap<string, boolean>>()
  const request = currentRequest()
  const [spent, maxMatchingMs] = [request ?? { matchingMs: 0 }, request?.maxMatchingMs ?? maxRequestMatchingMs]
  for (const leaf of leaves) {
    const { field, test } = leaf
    const texts = new Set<string>()
    await inTurns(rows, (each) => {
      for (const text of textsOf(view(each), leaf, fields)) texts.add(text)
    })
    for (const text of texts) {
      if (stepsOf(test.pattern, text) <= maxSteps) continue
      throw problem('invalid', {
        field: `${field}.$regex`,
        rule: rule('patternTooLargeForText', { length: text.length }),
      })
    }
    const found = await matchTexts(test.pattern, texts, spent, maxMatchingMs)
    if (found === 'slow') {
      throw problem('invalid', {
        field: `${field}.$regex`,
        rule: rule('patternTooSlow', { seconds: maxMatchingMs / 1000 }),
      })
    }
    answers.set(test.pattern, found)
  }
  return (pattern, text) => answers.get(pattern)?.get(text) === true
}

const textsOf = (row: Row, leaf: PatternLeaf, fields: Fields): string[] =>
  valuesOf(row, leaf, fields).filter((value) => typeof value === 'string')
