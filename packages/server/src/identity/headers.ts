import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isBlank, type Language, longestAccount, problem, rule } from '@mainline/contract'
import { uniqueId } from '../common/unique-id.ts'
import { isName, longestName } from './identified.ts'

export const defaultAccount = '0'

/** Header names have underscores, which some proxies drop, so hyphens are accepted as well. */
const spellings = (name: string) => ({
  name,
  plain: name.toLowerCase(),
  hyphenated: name.toLowerCase().replaceAll('_', '-'),
})
type Spellings = ReturnType<typeof spellings>
const names = {
  user: spellings('BK_User'),
  account: spellings('HTTP_BK_SUPPLIER_ACCOUNT'),
  supplier: spellings('HTTP_BLUEKING_SUPPLIER_ID'),
  language: spellings('HTTP_BLUEKING_LANGUAGE'),
  requestId: spellings('cc_request_id'),
}

const allNames = Object.values(names)

/** Refuses headers with several different values or spellings, of which a proxy may have used another one. */
export function refuseTwoSpellings(headers: IncomingHttpHeaders, raw: readonly string[]): void {
  for (const spelled of allNames) {
    // Node joins repeated headers by a comma.
    if (header(headers, spelled)?.includes(',') && timesSent(raw, spelled) > 1) {
      throw problem('invalid', { field: spelled.name, rule: rule('sameTwice') })
    }
  }
}

const timesSent = (raw: readonly string[], { plain, hyphenated }: Spellings): number =>
  raw.filter((name, index) => index % 2 === 0 && [plain, hyphenated].includes(name.toLowerCase())).length

/** The identity that the caller claims: whether it is trusted depends on the identity mode. */
export const userIn = (headers: IncomingHttpHeaders): string | undefined => readable(headers, names.user, longestName)

export const accountIn = (headers: IncomingHttpHeaders): string | undefined =>
  readable(headers, names.account, longestAccount) ?? readable(headers, names.supplier, longestAccount)

/** Also used for requests that fail before identification, whose answers have a language and a request id as well. */
export function languageOf(headers: IncomingHttpHeaders, otherwise: Language): Language {
  const asked = headers[names.language.plain] ?? headers[names.language.hyphenated]
  if (typeof asked !== 'string') return otherwise
  if (/^(zh|cn)/i.test(asked)) return 'zh-cn'
  return /^en/i.test(asked) ? 'en' : otherwise
}

export function requestIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers[names.requestId.plain] ?? headers[names.requestId.hyphenated]
  return typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : uniqueId()
}

/** A hash of all identifying headers. The address of the connection is not part of it: trusted proxies do not change while the server runs. */
export const credentialsOf = (headers: IncomingHttpHeaders): string =>
  hash(
    'sha256',
    JSON.stringify([
      headers.authorization,
      headers.cookie,
      ...[names.user, names.account, names.supplier].flatMap(({ plain, hyphenated }) => [
        headers[plain],
        headers[hyphenated],
      ]),
    ]),
    'base64url',
  )

/** The bearer token; undefined if there is none. */
export const bearerIn = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization)?.[1]

/** The client address that proxies report. */
export const forwardedIn = ({ 'x-forwarded-for': sent }: IncomingHttpHeaders): string | undefined =>
  Array.isArray(sent) ? sent.join(',') : sent

function header(headers: IncomingHttpHeaders, { name, plain, hyphenated }: Spellings): string | undefined {
  const one = headers[plain]
  const other = headers[hyphenated]
  if (one !== undefined && other !== undefined && one !== other) {
    throw problem('invalid', { field: name, rule: rule('sentTwice') })
  }
  const value = one ?? other
  return Array.isArray(value) ? value[0] : value
}

/** Node reads headers as Latin-1; names are UTF-8. */
function readable(headers: IncomingHttpHeaders, spelled: Spellings, max: number): string | undefined {
  const value = header(headers, spelled)
  if (value === undefined || value === '') return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  if (isBlank(text)) throw problem('unassigned', { field: spelled.name })
  if (text.length > max) {
    throw problem('invalid', { field: spelled.name, rule: rule('atMostCharacters', { max, got: text.length }) })
  }
  if (!isName(text)) throw problem('invalid', { field: spelled.name, rule: rule('text') })
  return text
}
