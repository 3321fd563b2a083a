import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { startServer } from '../packages/server/src/testing/harness.ts'
import { collapses } from './baseline.ts'
import { chartOf } from './chart.ts'
import { spreadOf } from './compare.ts'
import { withoutOrder, withoutPast, withoutRevisions } from './left-out.ts'
import { load, post } from './load.ts'
import { adapt } from './products/mainline.ts'
import { works } from './products/product.ts'
import type { Finding } from './report.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Sends the response in these parts, with a pause between them. */
function answering(...parts: string[]): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', async () => {
      for (const part of parts) {
        socket.write(part)
        await pause(2)
      }
    })
  })
  stops.push(() => server.close())
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
}

const loading = (port: number) =>
  load({ port, connections: 2, milliseconds: 100, next: () => post('/', {}), mark: '"result":true' })

it('counts responses that arrive in pieces once', async () => {
  const port = await answering('HTTP/1.1 200 OK\r\nContent-', 'Length: 15\r\n\r\n{"result"', ':true}')
  const sample = await loading(port)
  expect(sample.perSecond).toBeGreaterThan(0)
  // Two connections, and no response is complete before its last part: at least four milliseconds each.
  expect(sample.perSecond).toBeLessThan(500)
})

it('does not count a fast failure as a fast response', async () => {
  const refused = await answering('HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n{"result":false}')
  await expect(loading(refused)).rejects.toThrow('"result":false')
  const failed = await answering('HTTP/1.1 500 Oh\r\ncontent-length: 15\r\n\r\n{"result":true}')
  await expect(loading(failed)).rejects.toThrow('500 Oh')
})

it('fails below a third of the committed ratio and not above it', () => {
  const finding = (median: number): Finding => ({
    key: 'start',
    work: 'start',
    engine: 'sqlite',
    unit: 'ms',
    atMost: 1000,
    value: spreadOf([median]),
  })
  const baseline = { start: { work: 'start', goal: 1, sqlite: 2 } }
  expect(collapses([finding(1400)], baseline)).toEqual([])
  expect(collapses([finding(1600)], baseline)).toHaveLength(1)
  expect(collapses([{ ...finding(1600), engine: 'postgres' }], baseline)).toEqual([])
})

it('draws results beside their goals', () => {
  const svg = chartOf({ tree: { work: 'tree <warm>', goal: 0.5, sqlite: 1, postgres: 0.25 } })
  const widths = [...svg.matchAll(/<rect class="(?:sqlite|postgres)" x="430" y="\d+" width="([\d.]+)" height="13"/g)]
  expect(widths.map(([, width]) => Number(width))).toEqual([240, 120])
  expect(svg).toContain('tree &lt;warm')
})

it('the adapter for Mainline creates the estate, and every kind of request succeeds', async () => {
  const server = await startServer('sqlite')
  const estate = { sets: 2, modulesPerSet: 1, hostsPerModule: 5 }
  const product = await adapt(new URL(server.url), estate)
  expect(Object.keys(product.works)).toEqual(Object.keys(works))
  // Rejects unless the response is a success.
  for (const { next, mark } of Object.values(product.works)) {
    await load({ port: product.port, connections: 1, milliseconds: 1, next, mark })
  }
  await server.close()
})

it.each([...withoutRevisions, ...withoutPast, ...withoutOrder])(
  'can still leave out what the price is measured of: $file',
  (planted) => {
    const text = readFileSync(planted.file, 'utf8')
    for (const [original] of planted.edits) expect(text.split(original), original).toHaveLength(2)
  },
)
