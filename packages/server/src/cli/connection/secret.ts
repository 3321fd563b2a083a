import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { sendable } from './connection.ts'

/** Reads a token from the terminal without echo, or from a pipe; undefined if there is none. */
export async function readToken(server: string): Promise<string | undefined> {
  const given = process.stdin.isTTY ? await typed(`Token for ${server} (Enter for none): `) : await text(process.stdin)
  return sendable('token', given) || undefined
}

async function typed(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  // From here on the terminal shows nothing of what is typed.
  process.stderr.write(question)
  const interrupted = new AbortController()
  terminal.once('SIGINT', () => interrupted.abort())
  try {
    return await terminal.question('', { signal: interrupted.signal })
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    // The exit code of the signal that readline has intercepted.
    process.exit(130)
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
