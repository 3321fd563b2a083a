// The fenced blocks of all documentation, and what the words behind their language request.
import { globSync, readFileSync } from 'node:fs'

/**
 * How a block is run depends on its language and on the words behind it:
 *
 *     sh                       run in the page's shell, one after the other
 *     sh serve                 started and left running: the server of the rest of the page
 *     sh endless               must still be running after a while, and is then terminated
 *     sh stopped               run while the page's server is stopped
 *     sh needs=PROGRAM         run where the program is installed
 *     ts, js                   types checked (ts), run; a line that is only a comment is what it prints
 *     python                   run where Python is installed; a line that is only a comment is what it prints
 *     json, text after sh      what the commands print; … stands for what differs from day to day
 *     json, yaml, ini, nginx   parsed by a parser of the format
 *     any, file=NAME           also written to the page's folder, for the blocks after it
 *     any, tested-by=FILE      run by that test, which needs more than a shell
 *     any, not-run: REASON     cannot be run here; `reasons` of the test bounds them
 */
export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly words: readonly string[]
  readonly text: string
  readonly file: string | undefined
  readonly needs: string | undefined
  readonly testedBy: string | undefined
  readonly notRun: string | undefined
  /** The expected output. */
  readonly answer: string | undefined
}

/** All pages whose blocks are run. */
export const pages = globSync(['README.md', 'packages/*/README.md', 'docs/**/*.md']).sort()

/** The blocks of a page in order. Expected output belongs to the block before it. */
export const blocksOf = (page: string): Block[] => blocksIn(readFileSync(page, 'utf8'), page)

export function blocksIn(text: string, page: string): Block[] {
  const fences = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
  const read = fences.map(({ 1: info = '', 2: body = '', index = 0, 0: whole }) => ({
    ...wordsOf(info),
    page,
    text: body.replace(/\n$/, ''),
    line: text.slice(0, index).split('\n').length,
    start: index,
    end: index + whole.length,
  }))
  const follows = (index: number) => {
    const [one, next] = [read[index], read[index + 1]]
    return one && next && /^(json|text)$/.test(next.language) && text.slice(one.end, next.start).trim() === ''
      ? next
      : undefined
  }
  const answers = new Set(read.map((each, index) => (each.language === 'sh' ? follows(index) : undefined)))
  return read.flatMap(({ start: _start, end: _end, ...each }, index) =>
    answers.has(read[index]) ? [] : [{ ...each, answer: each.language === 'sh' ? follows(index)?.text : undefined }],
  )
}

function wordsOf(info: string) {
  const [, before = '', notRun] = /^(.*?)(?: not-run: (.*))?$/.exec(info) ?? []
  const [language = '', ...words] = before.split(' ')
  const wordAfter = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
  return {
    language,
    words,
    notRun,
    file: wordAfter('file'),
    needs: wordAfter('needs'),
    testedBy: wordAfter('tested-by'),
  }
}
