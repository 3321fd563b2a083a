import { expect } from 'vitest'

export type ResultLine = { row: number; outcome: string; why?: string; id?: number; code?: number }
export type Summary = Record<'rows' | 'created' | 'updated' | 'unchanged' | 'failed' | 'skipped', number> & {
  done: true
  failed_file: { name: string; type: string; base64: string } | null
}

type Sent = [what: string, file: string | Uint8Array, query?: string, headers?: Record<string, string>]
export type Taken = (...sent: Sent) => Promise<{ lines: ResultLine[]; summary: Summary }>
export type Refused = (...sent: Sent) => Promise<{ status: number; bk_error_code: number; bk_error_msg: string }>

const send = (url: string, ...[what, file, query = '', headers = {}]: Sent) =>
  fetch(`${url}/api/v3/import/${what}?${query}`, {
    method: 'POST',
    body: file as NonNullable<RequestInit['body']>,
    headers: { 'content-type': 'text/csv', ...headers },
  })

/** The result of every row, and the totals. */
export async function importFile(url: string, ...sent: Sent): ReturnType<Taken> {
  const answer = await send(url, ...sent)
  const text = await answer.text()
  expect(answer.headers.get('content-type'), text).toBe('application/x-ndjson')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { lines: lines.slice(0, -1), summary: lines.at(-1) }
}

export async function refusedFile(url: string, ...sent: Sent): ReturnType<Refused> {
  const answer = await send(url, ...sent)
  return { status: answer.status, ...((await answer.json()) as { bk_error_code: number; bk_error_msg: string }) }
}
