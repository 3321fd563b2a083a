// Sends the examples of an API document in order, as a client that knows only the document.

export interface Operation {
  readonly operationId: string
  readonly parameters: readonly { name?: string; in?: string; example?: string | number }[]
  readonly requestBody?: { content: Record<string, { example?: unknown }> }
  readonly responses: Record<string, Answering>
}
interface Answering {
  readonly content?: Record<
    string,
    { schema: object; example?: unknown; examples?: Record<string, { value?: unknown }> }
  >
}
export interface ApiDocument {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, object> }
}

export interface Step {
  readonly operation: Operation
  readonly status: number
  readonly headers: Headers
  readonly type: string
  /** Parsed if it is JSON. */
  readonly body: unknown
}

const methods = ['get', 'post', 'put', 'delete']

/** Every operation with its path and method, in the order of the document. */
export const operationsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

/** Addresses in examples use the default port. */
const usual = /127\.0\.0\.1:8080/g

/** Sends all examples sequentially; once for each set of headers, if the operation has several. */
export async function* walk(
  document: ApiDocument,
  url: string,
  headersOf: (operation: Operation) => readonly Record<string, string>[] = () => [{}],
): AsyncGenerator<Step> {
  const here = new URL(url).host
  for (const { path, method, operation } of operationsOf(document)) {
    for (const more of headersOf(operation)) {
      const answer = await send(url + filled(path, operation), method, bodyOf(operation, here), more)
      const { status, headers } = answer
      const type = headers.get('content-type')?.split(';')[0] ?? ''
      const text = type === 'text/event-stream' ? await firstEvent(answer, url) : await answer.text()
      yield { operation, status, headers, type, body: type === 'application/json' ? JSON.parse(text) : text }
    }
  }
}

function filled(path: string, { parameters }: Operation): string {
  const exampleOf = (place: string) =>
    parameters.flatMap((each) =>
      each.in === place && each.example !== undefined ? [[each.name, String(each.example)]] : [],
    )
  const params = Object.fromEntries(exampleOf('path'))
  const query = new URLSearchParams(exampleOf('query') as [string, string][])
  const below = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]))
  return query.size > 0 ? `${below}?${query}` : below
}

interface Sent {
  readonly type: string
  readonly body: string
}

function bodyOf({ requestBody }: Operation, here: string): Sent | undefined {
  const [type, { example } = {}] =
    Object.entries(requestBody?.content ?? {}).find(([, each]) => 'example' in each) ?? []
  if (type === undefined) return undefined
  const text = typeof example === 'string' ? example : JSON.stringify(example)
  return { type, body: text.replaceAll(usual, here) }
}

const send = (address: string, method: string, sent: Sent | undefined, more: Record<string, string>) =>
  fetch(address, {
    method,
    headers: { ...(sent && { 'content-type': sent.type }), ...more },
    ...(sent && { body: sent.body }),
  })

/** For an endless stream: the events after a change. */
async function firstEvent(answer: Response, url: string): Promise<string> {
  const reader = answer.body?.getReader()
  if (!reader) return ''
  const change = { bk_biz_id: 2, description: `changed at ${Date.now()}` }
  await fetch(`${url}/api/v3/set/2/7`, { method: 'PUT', body: JSON.stringify(change) })
  let text = ''
  while (!/^data: .*\n\n/m.test(text)) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
  return text
}
