import type { IncomingHttpHeaders } from 'node:http'
import { type Language, problem, rule } from '@mainline/contract'
import { uniqueId } from '../../unique-id.ts'
import { isName } from './identified.ts'

export const defaultAccount = '0'

/** Underscores are normal here, but some proxies drop such headers: hyphens mean the same. */
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

/** Every header that we read must say one thing, in whichever spelling, and once: proxies in front may have read another. */
export function refuseTwoSpellings(headers: IncomingHttpHeaders, raw: readonly string[]): void {
  for (const spelled of Object.values(names)) {
    // Node joins what was sent twice by a comma.
    if (header(headers, spelled)?.includes(',') && timesSent(raw, spelled) > 1) {
      throw problem('invalid', { field: spelled.name, rule: rule('sameTwice') })
    }
  }
}

const timesSent = (raw: readonly string[], { plain, hyphenated }: Spellings): number =>
  raw.filter((name, index) => index % 2 === 0 && [plain, hyphenated].includes(name.toLowerCase())).length

/** Who the caller claims to be: whether that is believed depends on the way callers are identified. */
export const userIn = (headers: IncomingHttpHeaders): string | undefined => readable(headers, names.user)

export const accountIn = (headers: IncomingHttpHeaders): string | undefined =>
  readable(headers, names.account) ?? readable(headers, names.supplier)

/** Also for requests that fail before they are identified: their answer has a language and an id too. */
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

/** The credential of `Authorization: Bearer`; undefined where there is none. */
export const bearerIn = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization)?.[1]

/** Where proxies say that a call came from. */
export const forwardedIn = ({ 'x-forwarded-for': sent }: IncomingHttpHeaders): string | undefined =>
  Array.isArray(sent) ? sent.join(',') : sent

function header(headers: IncomingHttpHeaders, { name, plain, hyphenated }: Spellings): string | undefined {
  const [one, other] = [headers[plain], headers[hyphenated]]
  if (one !== undefined && other !== undefined && one !== other) {
    throw problem('invalid', { field: name, rule: rule('sentTwice') })
  }
  const value = one ?? other
  return Array.isArray(value) ? value[0] : value
}

/** Node reads headers as Latin-1; names are UTF-8. */
function readable(headers: IncomingHttpHeaders, spelled: Spellings): string | undefined {
  const value = header(headers, spelled)
  if (value === undefined || value === '') return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  if (!isName(text)) throw problem('invalid', { field: spelled.name, rule: rule('text') })
  return text
}
