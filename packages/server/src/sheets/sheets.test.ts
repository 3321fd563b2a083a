import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { failedFile, line, maxColumns, maxRows, readSheet, writeSheet } from './index.ts'
import { maxCellLength, maxCells } from './read.ts'

const text = (content: string) => Buffer.from(content)
const cellsOf = async (bytes: Uint8Array) => (await readSheet(bytes)).rows.map((row) => row.cells)
const refusal = (bytes: Uint8Array) =>
  readSheet(bytes).then(
    () => 'taken',
    (error) => error.message,
  )

/** A workbook with one sheet, from its XML. */
const workbook = (sheet: string, strings = '', book = '') =>
  zipSync({
    'xl/workbook.xml': strToU8(`<workbook>${book}<sheets><sheet name="s" r:id="r1"/></sheets></workbook>`),
    'xl/_rels/workbook.xml.rels': strToU8(
      '<Relationships><Relationship Id="r1" Target="worksheets/sheet7.xml"/></Relationships>',
    ),
    ...(strings && { 'xl/sharedStrings.xml': strToU8(`<sst>${strings}</sst>`) }),
    'xl/worksheets/sheet7.xml': strToU8(`<worksheet><sheetData>${sheet}</sheetData></worksheet>`),
  })

it.each(['csv', 'xlsx'] as const)(
  'round trip: what is written as %s is read unchanged, including formulas',
  async (format) => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }).filter((each) => each.isWellFormed() && !/\p{Cc}/u.test(each)),
      fc.constantFrom(
        '=1+1',
        "'=x",
        '@SUM(A1)',
        '-5',
        '+1',
        'a,b',
        'a"b',
        'a;b',
        'one\ntwo',
        '中文',
        'a\tb',
        ' x ',
        ' ',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }), async (rows) => {
        const kept = rows.map((row) => ['x', ...row])
        const pages: Parameters<typeof writeSheet>[1] = [{ name: 'a & b', rows: [[['k', 'a', 'b', 'c'], ...kept]] }]
        expect(await cellsOf(await buffer(writeSheet(format, pages)))).toEqual(kept)
      }),
      { numRuns: 60 },
    )
  },
)

it('CSV may have any delimiter and line ending, and blank and commented lines are skipped', async () => {
  for (const delimiter of [',', ';', '\t']) {
    for (const end of ['\n', '\r\n', '\r']) {
      const file = ['a,b', '# note,', '1,"x, y; z\tw"', ',', '2'].map((each) => each.replace(/,(?!\s)/g, delimiter))
      expect(await cellsOf(text(file.join(end)))).toEqual([
        ['1', 'x, y; z\tw'],
        ['2', ''],
      ])
    }
  }
})

it('a row has the number of the line it begins in, also after a multi-line cell', async () => {
  const { rows } = await readSheet(text('a,b\n1,"x\ny"\n2,z\n'))
  expect(rows.map((row) => row.number)).toEqual([2, 4])
})

it('text may be UTF-8 with or without a byte order mark, UTF-16 or GBK; anything else is refused', async () => {
  const gbk = Buffer.from([0x61, 0x0a, 0xd6, 0xd0, 0xce, 0xc4])
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a\n中文', 'utf16le')])
  for (const bytes of [gbk, utf16, text('a\n中文'), text('\ufeffa\n中文')]) {
    expect(await cellsOf(bytes)).toEqual([['中文']])
  }
  for (const bytes of [Buffer.from([0x61, 0x0a, 0xff, 0xff, 0x80]), text('a\n\0')]) {
    expect(await refusal(bytes)).toContain('neither UTF-8 nor GBK')
  }
})

it('an invalid file is refused with the reason', async () => {
  expect(await refusal(text(''))).toContain('it is empty')
  expect(await refusal(text('\n,,\n'))).toContain('it is empty')
  expect(await refusal(text('a,b\n1,2\n3,"4\n5,6\n'))).toContain('line 3 is never closed')
  expect(await refusal(text(`${'a,'.repeat(10_000)}a\n`))).toBe(`columns exceed the limit ${maxColumns}`)
  expect(await refusal(text(`a\n${'1\n'.repeat(maxRows + 1)}`))).toBe(`rows exceed the limit ${maxRows}`)
  expect(await refusal(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).toContain('.xls file or is encrypted')
})

it('a row with more cells than columns is an error', async () => {
  const { rows } = await readSheet(text('a,b\n1,2,3\n1,2,\n'))
  expect(rows.map((row) => row.wrong?.[0])).toEqual(['the row has 3 cells, but the file has 2 columns', undefined])
})

it('a workbook is read with all kinds of strings, and with cached results of formulas, which are never evaluated', async () => {
  const sheet = `
    <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>c &amp; d</t></is></c></row>
    <row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3"><f>1+1</f><v>2</v></c><c r="C3" t="str"><f>""</f><v></v></c></row>
    <row r="4"><c r="A4"><f>1+1</f></c></row>
    <row r="5"><c r="A5" t="e"><v>#REF!</v></c></row>`
  const strings = '<si><r><t>a</t></r><r><t xml:space="preserve"> b</t></r><rPh><t>spoken</t></rPh></si>'
  const read = await readSheet(workbook(sheet, strings))
  expect(read.columns).toEqual(['a b', 'a b', 'c & d'])
  expect(read.rows.map(({ number, cells, wrong }) => [number, ...cells, wrong?.[0]])).toEqual([
    [3, 'true', '2', '', undefined],
    [4, '', '', '', 'cell A4 contains a formula without a stored value; formulas are not evaluated, so save the value'],
    [5, '', '', '', 'cell A5 contains the error #REF!'],
  ])
})

it('truncated archives, decompression bombs, entity declarations and workbooks without a sheet are refused', async () => {
  const good = workbook('<row><c t="inlineStr"><is><t>a</t></is></c></row>')
  expect(await refusal(good.subarray(0, good.length - 40))).toContain('damaged or truncated')
  expect(await refusal(Buffer.concat([good.subarray(0, 200), good.subarray(260)]))).toMatch(/truncated|no sheet/)
  const bomb = workbook('<x/>'.repeat(2_500_000))
  expect(bomb.length).toBeLessThan(40_000)
  expect(await refusal(bomb)).toContain('too large when unpacked')
  expect(await refusal(workbook('<!DOCTYPE x [<!ENTITY a "b">]><row/>'))).toContain('the XML of its sheet is not valid')
  expect(await refusal(zipSync({ 'a.txt': strToU8('hello') }))).toContain('no sheet')
  expect(await refusal(workbook('<row><c r="ZZZ1"><v>1</v></c></row>'))).toContain('columns exceed')
  expect(await refusal(workbook('<row/>', '', '<workbookPr date1904="1"/>'))).toContain('1904')
})

it('CSV injection: a spreadsheet evaluates no cell as a formula', () => {
  expect(line(['=cmd', '@x', '+1', '-1', -1, 'a'])).toBe("'=cmd,'@x,'+1,'-1,-1,a\r\n")
})

it('failed rows are returned in the same format, with their errors', async () => {
  for (const format of ['csv', 'xlsx'] as const) {
    const page = {
      name: 's',
      rows: [
        [
          ['a', 'import_error', 'b'],
          ['1', 'old', '2'],
          ['3', 'older', '=4'],
        ],
      ],
    }
    const sheet = await readSheet(await buffer(writeSheet(format, [page])))
    const back = await readSheet(await buffer(failedFile(sheet, new Map([[3, 'new']]))))
    expect([back.format, back.columns, back.rows.map((row) => row.cells)]).toEqual([
      format,
      ['a', 'b', 'import_error'],
      [['3', '=4', 'new']],
    ])
  }
})

it('a file whose cells would take far more memory than the file is refused', async () => {
  const names = Array.from({ length: maxColumns }, (_, nth) => `c${nth}`).join()
  expect(await refusal(text(`${names}\n${'1\n'.repeat(90_000)}`))).toContain(
    `cells (rows times columns) exceed the limit`,
  )
  expect(await refusal(text(`a\n${','.repeat(5_000_000)}`))).toContain(`columns exceed the limit ${maxColumns}`)
  const row = '<row><c t="s"><v>0</v></c></row>'
  expect(await refusal(workbook(row, '<si/>'.repeat(maxCells + 1)))).toMatch(/too large/)
})

it('a cell is limited to the size that spreadsheets allow', async () => {
  const long = 'x'.repeat(maxCellLength)
  const { rows } = await readSheet(text(`a\n${long}\n${long}x\n"${long}x"\n`))
  expect(rows.map(({ cells, wrong }) => [cells[0]?.length, wrong?.[0]])).toEqual([
    [maxCellLength, undefined],
    [0, `a cell may contain at most ${maxCellLength} characters`],
    [0, `a cell may contain at most ${maxCellLength} characters`],
  ])
  // Line breaks and quotes in a cell that would create as many texts: refused as soon as it is too long.
  for (const each of ['\n', '""']) {
    expect(await refusal(text(`a\n"${each.repeat(5_000_000)}"\n`))).toContain('a cell may contain at most')
  }
})

it('text that a spreadsheet could evaluate as a formula is quoted, including full-width signs and line breaks', () => {
  for (const sign of ['=', '+', '-', '@', '\n=', '＝', '＋', '－', '＠']) expect(line([`${sign}1`])).toMatch(/^"?'/)
})
