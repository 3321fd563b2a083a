import type { IncomingHttpHeaders } from 'node:http'
import { type Language, problem, rule } from '@mainline/contract'
import { uniqueId } from '../unique-id.ts'

/** What the headers say. The supplier account may still be overruled by the path or the body. */
export interface Identity {
  readonly user: string
  readonly account: string
  readonly requestId: string
  readonly language: Language
}

const defaultUser = 'admin'
export const defaultAccount = '0'

/** Who calls, for which account. Every header that we read must say one thing, in whichever spelling. */
export function identify(headers: IncomingHttpHeaders): Pick<Identity, 'user' | 'account'> {
  for (const name of ['HTTP_BLUEKING_LANGUAGE', 'cc_request_id']) header(headers, name)
  const supplier = readable(headers, 'HTTP_BLUEKING_SUPPLIER_ID')
  return {
    user: readable(headers, 'BK_User') ?? defaultUser,
    account: readable(headers, 'HTTP_BK_SUPPLIER_ACCOUNT') ?? supplier ?? defaultAccount,
  }
}

/** Also for requests that fail before they are identified: their answer has a language and an id too. */
export function languageOf(headers: IncomingHttpHeaders): Language {
  const asked = headers.http_blueking_language ?? headers['http-blueking-language']
  return typeof asked === 'string' && /^(zh|cn)/i.test(asked) ? 'zh-cn' : 'en'
}

export function requestIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers.cc_request_id ?? headers['cc-request-id']
  return typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : uniqueId()
}

/** Underscores are normal here, but some proxies drop such headers: hyphens mean the same. */
function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const plain = headers[name.toLowerCase()]
  const hyphenated = headers[name.toLowerCase().replaceAll('_', '-')]
  if (plain !== undefined && hyphenated !== undefined && plain !== hyphenated) {
    throw problem('invalid', { field: name, rule: rule('sentTwice') })
  }
  const value = plain ?? hyphenated
  return Array.isArray(value) ? value[0] : value
}

/** Node reads headers as Latin-1; names are UTF-8. */
function readable(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = header(headers, name)
  if (value === undefined || value === '') return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  if (text.length > 128 || /[\p{Cc}\ufffd]/u.test(text)) throw problem('invalid', { field: name, rule: rule('text') })
  return text
}
