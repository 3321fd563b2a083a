import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { sendable } from './connection.ts'

/** A token that is typed without being shown, or piped in; undefined when there is none. */
export async function readToken(server: string): Promise<string | undefined> {
  const given = process.stdin.isTTY ? await typed(`Token for ${server} (Enter for none): `) : await text(process.stdin)
  return sendable('token', given) || undefined
}

async function typed(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  // Only now does the terminal show nothing of what is typed.
  process.stderr.write(question)
  const interrupted = new AbortController()
  terminal.once('SIGINT', () => interrupted.abort())
  try {
    return await terminal.question('', { signal: interrupted.signal })
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    // As the signal would have done, had readline not taken the key.
    process.exit(130)
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
