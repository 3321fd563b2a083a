// How commands that ask a running server reach it.
import type { Envelope } from '@mainline/contract'
import { Refusal } from '../platform/refusal.ts'

/** For parseArgs. */
export const connectionOptions = {
  server: { type: 'string' },
  token: { type: 'string' },
  user: { type: 'string' },
  account: { type: 'string' },
  language: { type: 'string' },
} as const

export const connectionHelp = [
  '  --server      the server to ask (MAINLINE_SERVER, default http://127.0.0.1:8080)',
  '  --token       what to identify oneself with (MAINLINE_TOKEN)',
  '  --user        who asks, where identity is open (MAINLINE_USER)',
  '  --account     the supplier account (default 0)',
  '  --language    en or zh-cn',
].join('\n')

export interface Connection {
  readonly server: string
  readonly account: string
  /** An answer as it comes; refusals of the server are told and end the command. */
  send(method: string, path: string, body?: BodyInit, type?: string): Promise<Response>
  /** The data of an ordinary answer. */
  ask<Data>(path: string, body: unknown): Promise<Data>
}

/** Nothing answered, or not now: the same may be asked again. */
export class Unreachable extends Error {}

type Given = { readonly [Name in keyof typeof connectionOptions]?: string | undefined }

export function connect(given: Given, env: NodeJS.ProcessEnv): Connection {
  const server = (given.server ?? env.MAINLINE_SERVER ?? 'http://127.0.0.1:8080').replace(/\/+$/, '')
  if (!/^https?:\/\/./.test(server) || !URL.canParse(server)) {
    throw new Refusal(`--server is '${server}': it must be an address such as https://cmdb.example.org.`)
  }
  const token = given.token ?? env.MAINLINE_TOKEN
  const user = given.user ?? env.MAINLINE_USER
  const account = given.account ?? '0'
  const headers: Record<string, string> = {
    HTTP_BK_SUPPLIER_ACCOUNT: account,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(user && { BK_User: user }),
    ...(given.language && { HTTP_BLUEKING_LANGUAGE: given.language }),
  }
  const send: Connection['send'] = async (method, path, body, type) => {
    const answer = await fetch(`${server}/api/v3${path}`, {
      method,
      headers: { ...headers, ...(type && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    }).catch((error) => {
      throw new Unreachable(`${server} does not answer: ${error.cause?.message || error.cause?.code || error.message}`)
    })
    // Told by what it says: where clients of bk-cmdb are served, refusals come with status 200.
    if (answer.ok && !answer.headers.get('content-type')?.startsWith('application/json')) return answer
    const text = await answer.text().catch(() => '')
    const told = envelopeIn(text)
    if (told?.result) return new Response(text)
    const why = told?.bk_error_msg ?? `HTTP ${answer.status}, and not from Mainline`
    throw told && passing.includes(told.bk_error_code) ? new Unreachable(why) : new Refusal(why)
  }
  return {
    server,
    account,
    send,
    async ask(path, body) {
      const answer = await send('POST', path, JSON.stringify(body), 'application/json')
      return JSON.parse(await answer.text()).data
    },
  }
}

/** Too many at once, or not ready yet. */
const passing = [1_199_429, 1_199_503]

function envelopeIn(text: string): Envelope | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Businesses {
  info: { bk_biz_id: number; bk_biz_name: string }[]
}

/** A business by its name, or by its id; `pool` is the resource pool. */
export async function businessCalled({ ask, account }: Connection, called: string | undefined): Promise<number> {
  if (!called) throw new Refusal('Which business? Say --business NAME, or its id, or pool.')
  const fields = ['bk_biz_id', 'bk_biz_name']
  const search = (where: string, condition: object) => ask<Businesses>(where, { fields, condition })
  if (called === 'pool') {
    const [pool] = (await search(`/biz/default/${account}/search`, {})).info
    if (pool) return pool.bk_biz_id
  }
  const { info } = await search(`/biz/search/${account}`, { bk_biz_name: { $eq: called } })
  if (info[0]) return info[0].bk_biz_id
  if (/^[1-9]\d{0,14}$/.test(called)) return Number(called)
  throw new Refusal(`There is no business '${called}'.`)
}
