import type { HostInPlace, Walk } from '../queries/run/index.ts'
import { addressOf, factsOf } from './facts.ts'

/** The JSON of HTTP service discovery: one target group per host, because labels belong to a group. */
export async function* targets({ pages }: Walk, port: number): AsyncGenerator<string> {
  let before = '['
  for await (const page of pages) {
    if (page.length === 0) continue
    yield before + page.map((row) => JSON.stringify(targetOf(row, port))).join(',')
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

function targetOf(row: HostInPlace, port: number) {
  const address = addressOf(row)
  const labels = [...factsOf(row)].map(([name, value]) => [`__meta_mainline_${name}`, String(value)])
  return {
    targets: [`${address.includes(':') ? `[${address}]` : address}:${port}`],
    labels: Object.fromEntries(labels),
  }
}
