import { problem, rule } from '@mainline/contract'

export interface Handler {
  open(name: string, attributes: (name: string) => string | undefined): void
  close(name: string): void
  text(text: string): void
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescaped = (text: string) =>
  text.includes('&')
    ? text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
        if (name) return entities[name] ?? whole
        const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
        return code <= 0x10ffff ? String.fromCodePoint(code) : ''
      })
    : text

/** The longest text between two brackets: a cell of a spreadsheet holds 32,767 characters. */
const longest = 2_097_152

/** A streaming parser for the XML of workbooks. Entity declarations are refused (billion laughs). */
export function createXmlReader(handler: Handler): { push(text: string): void } {
  let rest = ''
  return {
    push(more) {
      const text = rest + more
      let at = 0
      for (;;) {
        const start = text.indexOf('<', at)
        if (start < 0) break
        const end = text.indexOf('>', start)
        if (end < 0) break
        if (start > at) handler.text(unescaped(text.slice(at, start)))
        readTag(text.slice(start + 1, end), handler)
        at = end + 1
      }
      rest = text.slice(at)
      if (rest.length > longest) throw problem('badFile', { why: rule('fileXml') })
    },
  }
}

const patterns = new Map<string, RegExp>()
function attributePattern(name: string): RegExp {
  const known = patterns.get(name)
  if (known) return known
  const pattern = new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
  patterns.set(name, pattern)
  return pattern
}

const local = (name: string) => name.slice(name.indexOf(':') + 1)

function readTag(tag: string, handler: Handler): void {
  const first = tag[0]
  if (first === '?') return
  if (first === '!') {
    if (tag.startsWith('!--')) return
    throw problem('badFile', { why: rule('fileXml') })
  }
  if (first === '/') {
    handler.close(local(tag.slice(1).trim()))
    return
  }
  const empty = tag.endsWith('/')
  const inner = empty ? tag.slice(0, -1) : tag
  const space = inner.search(/\s/)
  const name = local(space < 0 ? inner : inner.slice(0, space))
  handler.open(name, (wanted) => {
    const found = attributePattern(wanted).exec(inner)
    const value = found?.[1] ?? found?.[2]
    return value === undefined ? undefined : unescaped(value)
  })
  if (empty) handler.close(name)
}
