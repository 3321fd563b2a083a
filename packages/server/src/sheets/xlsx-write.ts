import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import { present } from '../common/present.ts'
import type { Page } from './page.ts'

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const typePrefix = 'application/vnd.openxmlformats-officedocument.spreadsheetml.'

/** A minimal workbook with inline strings, which are text whatever they look like. */
export async function* writeXlsx(pages: readonly Page[]): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  let failed: Error | null = null
  const zip = new Zip((error, chunk) => {
    failed ??= error
    ready.push(chunk)
  })
  const encoder = new TextEncoder()
  for (const [name, text] of Object.entries(partsOf(pages))) {
    const part = new ZipPassThrough(name)
    zip.add(part)
    part.push(encoder.encode(text), true)
  }
  for (const [index, { rows }] of pages.entries()) {
    const part = new ZipDeflate(`xl/worksheets/sheet${index + 1}.xml`, { level: 3 })
    zip.add(part)
    part.push(encoder.encode(`${head}<worksheet xmlns="${main}"><sheetData>`))
    for await (const some of rows) {
      part.push(encoder.encode(some.map(rowXml).join('')))
      if (failed) throw failed
      yield* ready.splice(0)
    }
    part.push(encoder.encode('</sheetData></worksheet>'), true)
  }
  zip.end()
  yield* ready
}

function partsOf(pages: readonly Page[]): Record<string, string> {
  const each = (write: (number: number, name: string) => string) =>
    pages.map(({ name }, index) => write(index + 1, escaped(name))).join('')
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  return {
    '[Content_Types].xml': `${head}<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${typePrefix}sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${typePrefix}styles+xml"/>${each((number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${typePrefix}worksheet+xml"/>`)}</Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${packaged}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${each((number, name) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${packaged}/relationships">${each((number) => relation(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`))}${relation('rIdStyles', 'styles', 'styles.xml')}</Relationships>`,
    // Style 1 is the text format, so that a cell stays text after it is edited.
    'xl/styles.xml': `${head}<styleSheet xmlns="${main}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  }
}

const rowXml = (cells: readonly unknown[]) => `<row>${cells.map(cellXml).join('')}</row>`

function cellXml(value: unknown): string {
  if (value === null || value === undefined || value === '') return '<c/>'
  if (typeof value === 'number') return `<c><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const style = /^[=+\-@]/.test(text) ? ' s="1"' : ''
  return `<c t="inlineStr"${style}><is><t xml:space="preserve">${escaped(text)}</t></is></c>`
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML cannot represent most control characters, so they are dropped. */
const escaped = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters to remove
  text.replace(/[&<>"]/g, (mark) => present(marks[mark])).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
