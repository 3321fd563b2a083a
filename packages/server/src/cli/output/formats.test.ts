import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { pick, textOf, visible } from './cells.ts'
import { showRows } from './formats.ts'
import { OutputClosed, outputTo } from './output.ts'

type Row = Record<string, unknown>
const rows: Row[] = [
  { id: 1, name: 'web', set: [{ name: '空闲机池' }, { name: 'b' }], note: 'a "quoted", text\nin two lines' },
  { id: 22, name: '数据库', set: [], note: null },
  { id: 3, name: '=SUM(A1)', set: [{ name: 'b' }, { name: 'b' }], note: -5 },
]
const columns = ['id', 'name', 'set.name', 'note']
const shown = { columns, chosen: false, what: 'such rows' }

async function* streamed<T>(all: Iterable<T>): AsyncGenerator<T> {
  yield* all
}

function paper() {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  return { output: outputTo(stream), text: () => text }
}

async function written(format: string, all: Iterable<Row> = rows, how = shown): Promise<string> {
  const { output, text } = paper()
  await showRows(format, streamed(all), how, output)
  return text()
}

it('aligns columns by their width on a terminal, without colours elsewhere', async () => {
  expect(await written('table')).toBe(
    [
      'id  name      set.name    note',
      '1   web       空闲机池,b  a "quoted", text\\nin two lines',
      '22  数据库',
      '3   =SUM(A1)  b           -5',
      '',
    ].join('\n'),
  )
})

it('writes JSON and YAML that parse to the same value, complete or with the requested fields', async () => {
  const chosen = { columns: ['id', 'set.name'], chosen: true, what: '' }
  const picked = rows.map((row) => ({
    id: row.id,
    'set.name': (row.set as { name: string }[]).map(({ name }) => name),
  }))
  expect(JSON.parse(await written('json'))).toEqual(rows)
  expect(parse(await written('yaml'))).toEqual(rows)
  expect(JSON.parse(await written('json', rows, chosen))).toEqual(picked)
  expect(parse(await written('yaml', rows, chosen))).toEqual(picked)
  expect(JSON.parse(await written('json', []))).toEqual([])
  expect(parse(await written('yaml', []))).toEqual([])
})

it('writes CSV in which spreadsheets find no formulas', async () => {
  expect(await written('csv')).toBe(
    [
      'id,name,set.name,note',
      '1,web,"空闲机池,b","a ""quoted"", text\nin two lines"',
      '22,数据库,,',
      "3,'=SUM(A1),b,-5",
      '',
    ].join('\r\n'),
  )
})

it.each(['table', 'json', 'csv', 'yaml'])(
  'shows %s while rows still arrive, and waits for a slow reader',
  async (format) => {
    let made = 0
    let read = 0
    let ahead = 0
    const stream = new Writable({
      highWaterMark: 1,
      write(chunk, _encoding, done) {
        read += String(chunk).length
        setImmediate(done)
      },
    })
    async function* many() {
      for (; made < 3_000; made++) {
        ahead = Math.max(ahead, made * 40 - read)
        yield { id: made, name: 'x'.repeat(40) }
      }
    }
    await showRows(format, many(), { columns: ['id', 'name'], chosen: false, what: '' }, outputTo(stream))
    expect(read).toBeGreaterThan(3_000 * 40)
    expect(ahead).toBeLessThan(40_000)
  },
)

it('stops when the pipe is closed', async () => {
  const closed = Object.assign(new Error('closed'), { code: 'EPIPE' })
  const output = outputTo(new Writable({ write: (_chunk, _encoding, done) => done(closed) }))
  await expect(showRows('csv', streamed(rows), shown, output)).rejects.toThrow(OutputClosed)
})

it('shows no characters that move the cursor, reverse the direction or break the line', () => {
  expect(visible('a\u001b[2Jb\n\u202ec\u0007\u2028')).toBe('a\\u{1b}[2Jb\\n\\u{202e}c\\u{7}\\u{2028}')
  expect(visible('空闲机 – é 👩‍💻')).toBe('空闲机 – é 👩‍💻')
})

it('reads paths through lists, and no inherited properties', () => {
  const record = { a: { b: [{ c: 1 }, { c: 2 }] }, 'x.y': 3 }
  expect(pick(record, 'a.b.c')).toEqual([1, 2])
  expect(pick(record, 'x.y')).toBe(3)
  expect([pick(record, 'constructor'), pick(record, 'a.constructor'), pick(null, 'a')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(textOf([1, 2, 1, null])).toBe('1,2,')
  expect(textOf({ a: 1 })).toBe('{"a":1}')
})
