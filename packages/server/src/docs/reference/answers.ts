import type { Endpoint } from '@mainline/contract'
import { readOwnJson } from '../../common/own-json.ts'
import type { Dialect } from '../../http/dialect.ts'
import { answersFile, readSource } from '../sources.ts'

/** The answers of a fresh demo estate to the examples of each operation, by dialect: written by `npm run openapi`. */
export type Answers = Readonly<Record<Dialect['name'], Readonly<Record<string, unknown>>>>

let read: Answers | undefined

/** The `data` of an operation's example answer; the text of a plain text answer. Long lists are truncated. */
export function answerOf({ name }: Endpoint, dialect: Dialect): unknown {
  read ??= readOwnJson<Answers>(readSource(answersFile))
  const own = read[dialect.name] ?? {}
  return name in own ? own[name] : read.document[name]
}
