import type { Endpoint } from '@mainline/contract'
import type { Dialect } from '../compat.ts'
import { answersFile, readSource } from './sources.ts'

/** What each operation answered when the examples were sent to a fresh demo estate, by dialect: `npm run openapi` writes it. */
export type Answers = Readonly<Record<Dialect['name'], Readonly<Record<string, unknown>>>>

let read: Answers | undefined

/** The `data` of an operation's example answer; of one that answers with text, the text. Long lists are cut. */
export function answerOf({ name }: Endpoint, dialect: Dialect): unknown {
  read ??= JSON.parse(readSource(answersFile)) as Answers
  const own = read[dialect.name] ?? {}
  return name in own ? own[name] : read.document[name]
}
