import { isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLSeq } from 'yaml'
import { Refusal } from '../../common/refusal.ts'
import { defaultAccount } from '../../identity/index.ts'

/** A line of the file: a user may, or may not, run an operation. */
export interface Expectation {
  readonly line: number
  readonly sentence: string
  readonly user: string
  readonly may: boolean
  readonly operation: string
  /** A business by its name or id. */
  readonly business: string | undefined
  /** Parameters of the operation. */
  readonly about: Readonly<Record<string, string>>
}

interface Expectations {
  readonly account: string
  readonly expected: readonly Expectation[]
}

const sentenceForm =
  /^(?<user>\S.*?) may (?<not>not )?(?<operation>(?!not\b)\w+)(?: in (?<business>\S.*?))?(?: with (?<about>\w+=\S.*))?$/

/** Parses a map with `expect`, a list of sentences, and optionally `account`. All values are text. */
export function readExpectations(text: string, file: string): Expectations {
  const lines = new LineCounter()
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines })
  const refuse = (line: number, why: string): never => {
    throw new Refusal(`${file}:${line}: ${why}`)
  }
  const lineOf = (offset: number | undefined) => lines.linePos(offset ?? 0).line || 1
  const [error] = document.errors
  if (error) refuse(lineOf(error.pos[0]), error.message.split('\n')[0] ?? '')

  const root = document.contents
  if (!isMap(root)) return refuse(1, "the file must contain 'expect:' with a list of sentences")
  for (const { key } of root.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (!['account', 'expect'].includes(name)) {
      refuse(lineOf(isScalar(key) ? key.range?.[0] : 0), `unknown key '${name}'; the keys are 'account' and 'expect'`)
    }
  }
  const listed = root.get('expect', true) as unknown
  if (!isSeq(listed) || listed.items.length === 0) return refuse(1, "'expect' must be a list of sentences")
  const account: unknown = root.get('account') ?? defaultAccount
  if (typeof account !== 'string' || account === '') return refuse(1, "'account' must be the code of an account")

  const expected = (listed as YAMLSeq).items.map((item) => {
    const line = lineOf((item as { range?: [number] }).range?.[0])
    const sentence = isScalar(item) && typeof item.value === 'string' ? item.value : ''
    const parts = sentenceForm.exec(sentence.trim())?.groups
    if (!parts) {
      return refuse(line, "a sentence is 'USER may OPERATION in BUSINESS' or 'USER may not OPERATION with NAME=VALUE'")
    }
    const { user = '', operation = '', business } = parts
    const pairs = (parts.about ?? '').split(/\s+(?=\w+=)/).filter(Boolean)
    const about = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
    return { line, sentence: sentence.trim(), user, may: parts.not === undefined, operation, business, about }
  })
  return { account, expected }
}
