import type { Baseline } from './baseline.ts'
import { engines, titles } from './report.ts'
import type { EngineName } from './store.ts'

/** Sizes of the drawing, in pixels. */
const [left, width, right] = [430, 420, 60]
const [top, row, bar] = [64, 36, 13]
/** The ends of the scale, as multiples of the goal; the scale is logarithmic. */
const [least, most] = [1 / 8, 16]

const place = (times: number): number => {
  const within = Math.min(most, Math.max(least, times))
  return left + (width * Math.log2(within / least)) / Math.log2(most / least)
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Each figure of the baseline as a bar: to the right if it exceeds its goal, to the left if it misses it. */
export function chartOf(baseline: Baseline): string {
  const rows = Object.values(baseline)
  const height = top + rows.length * row + 24
  const scale = [1 / 4, 1, 4, 16].map((times) => {
    const x = place(times).toFixed(1)
    const name = times === 1 ? 'goal' : `${times} x`
    const line = `<line class="${times === 1 ? 'goal' : 'grid'}" x1="${x}" x2="${x}" y1="${top - 8}" y2="${height - 20}"/>`
    return `${line}<text class="small" x="${x}" y="${top - 14}" text-anchor="middle">${name}</text>`
  })
  const bars = rows.map(({ work, goal, ...reached }, index) => {
    const y = top + index * row
    const label = `<text x="${left - 12}" y="${y + 18}" text-anchor="end">${escaped(work)}</text>`
    return label + engines.map((engine, nth) => barOf(engine, reached[engine], goal, y + nth * (bar + 1))).join('')
  })
  const key = engines.map(
    (engine, nth) =>
      `<rect class="${engine}" x="${left + nth * 110}" y="16" width="12" height="12"/><text x="${left + 18 + nth * 110}" y="26">${titles[engine]}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + right} ${height}" role="img" aria-label="What was reached, beside what is wanted">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f } .small { font-size: 11px; fill: #57606a }
.sqlite { fill: #2f6f9f } .postgres { fill: #d08a2e } .grid { stroke: #d0d7de } .goal { stroke: #24292f; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .small { fill: #9198a1 } .grid { stroke: #30363d } .goal { stroke: #e6edf3 } }
</style>
${[...key, ...scale, ...bars].join('\n')}
</svg>
`
}

function barOf(engine: EngineName, value: number | undefined, goal: number, y: number): string {
  if (value === undefined) return ''
  const end = place(value / goal)
  const rect = `<rect class="${engine}" x="${left}" y="${y}" width="${(end - left).toFixed(1)}" height="${bar}"/>`
  return `${rect}<text class="small" x="${(end + 5).toFixed(1)}" y="${y + bar - 2}">${value}</text>`
}
