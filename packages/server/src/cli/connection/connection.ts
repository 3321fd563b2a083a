// The server and credentials of a command: flags, then the environment, then a profile.
import { type Client, createClient, type Failure, failureOf, headersOf, unreachable } from '@mainline/client'
import { didYouMean } from '../../common/nearest.ts'
import type { Given } from '../arguments/flags.ts'
import { misused } from '../arguments/usage.ts'
import { type Profile, type Profiles, readProfiles } from './profiles.ts'

const usualServer = 'http://127.0.0.1:8080'
const usualAccount = '0'

type ConnectionEnv = Readonly<Record<string, string | undefined>>

export interface Connection {
  readonly client: Client
  readonly server: string
  /** The supplier account, a part of many paths. */
  readonly account: string
  /** Sends or requests a file, which the typed client does not do; returns the raw response. */
  send(path: string, file?: Uint8Array<ArrayBuffer>): Promise<Response>
}

interface ConnectOptions {
  readonly env?: ConnectionEnv
  readonly retries?: number
}

export async function connect(
  given: Given,
  { env = process.env, retries = 3 }: ConnectOptions = {},
): Promise<Connection> {
  const { server, token, user, account } = whereTo(given, env)
  const options = {
    url: server,
    language: languageOf(env),
    retries,
    ...(account && { account }),
    ...(token && { token }),
    ...(user && { user }),
  } as const
  const client = createClient(options)
  const [reason, asOf] = [given.value('reason'), given.value('as-of')]
  return {
    client: asOf === undefined ? client : client.asOf(asOf),
    server,
    account: account ?? (token ? await accountOf(client) : usualAccount),
    send: (path, file) =>
      send(
        `${server}/api/v3${asOf === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(asOf)}`}`,
        { ...headersOf(options), ...(file && reason && { 'x-change-reason': encodeURIComponent(reason) }) },
        file,
      ),
  }
}

const fileTypes = /^(text\/csv|application\/x-ndjson|application\/vnd\.openxmlformats)/

/** Throws the client's error for any response that is not a file. */
async function send(url: string, own: Record<string, string>, file?: Uint8Array<ArrayBuffer>): Promise<Response> {
  const request = file
    ? { method: 'POST', headers: { ...own, 'content-type': 'application/octet-stream' }, body: file }
    : { headers: own }
  const answer = await fetch(url, request).catch((error) => {
    throw unreachable(url, error)
  })
  if (answer.ok && fileTypes.test(answer.headers.get('content-type') ?? '')) return answer
  throw failureOf(url, answer, await answer.json().catch(() => undefined))
}

/** The chunks of a response; a broken connection throws the same error as a missing response. */
export async function* bytesOf(answer: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* answer.body ?? []
  } catch (error) {
    throw unreachable(answer.url, error)
  }
}

/** The reason of a missing response, as a part of a sentence. */
export const reasonOf = ({ text }: Failure) => text.replace(/^no answer: /, '')

/** A token belongs to one account, which the server knows. */
const accountOf = async (client: Client) => (await client.session.getSession()).bk_supplier_account ?? usualAccount

/** A profile's token is sent to the profile's server only. */
export function whereTo(given: Given, env: ConnectionEnv): Profile {
  const [flagServer, flagProfile] = [given.value('server'), given.value('profile')]
  if (flagServer !== undefined && flagProfile !== undefined) {
    throw misused('--server and --profile both select the server: omit one of them.')
  }
  const server = flagServer ?? (flagProfile === undefined ? env.MAINLINE_SERVER : undefined)
  const chosen = server ? { server: serverUrl(server) } : profileCalled(flagProfile ?? env.MAINLINE_PROFILE, env)
  // A profile named by a flag wins over the environment; otherwise the environment wins over the profile.
  const nearer = <T>(kept: T | undefined, set: T | undefined) => (flagProfile ? (kept ?? set) : (set ?? kept))
  const token = given.value('token') ?? nearer(chosen.token, env.MAINLINE_TOKEN)
  const user = given.value('user') ?? nearer(chosen.user, env.MAINLINE_USER)
  const account = given.value('account') ?? nearer(chosen.account, env.MAINLINE_ACCOUNT)
  return {
    server: chosen.server,
    ...(token && { token: sendable('token', token) }),
    ...(user && { user }),
    ...(account && { account }),
  }
}

function profileCalled(name: string | undefined, env: ConnectionEnv): Profile {
  const kept = readProfiles(env)
  if (name) return findProfile(kept, name)
  return (kept.current && kept.profiles[kept.current]) || { server: usualServer }
}

export function findProfile({ profiles }: Profiles, name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found) return found
  const known = Object.keys(profiles)
  throw misused(
    `There is no profile '${name}'.${known.length > 0 ? didYouMean(name, known) : " 'mainline profile add' creates one."}`,
  )
}

export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw misused(`The server is '${text}': it must be a URL such as https://cmdb.example.org.`)
  }
  return url.href.replace(/\/+$/, '')
}

/** Refuses a token that is not valid in a header; a file with a token often ends with a line break. */
export function sendable(what: string, text: string): string {
  const token = text.trim()
  if (!/^[\x21-\x7e]*$/.test(token)) throw misused(`The ${what} contains invalid characters.`)
  return token
}

/** The language of the terminal, for the server's messages. */
const languageOf = ({ LC_ALL, LC_MESSAGES, LANG }: ConnectionEnv) =>
  (LC_ALL || LC_MESSAGES || LANG || '').startsWith('zh') ? 'zh-cn' : 'en'
