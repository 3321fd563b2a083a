import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { chartOf } from './chart.ts'
import { type Finding, goalOf, ratioOf, titles } from './report.ts'
import type { EngineName } from './store.ts'

/** Measured ratios by finding and engine, each with its goal. */
export type Baseline = Record<string, Partial<Record<EngineName, number>> & { work: string; goal: number }>

const file = new URL('baseline.json', import.meta.url)
const chart = new URL('../docs/images/bench.svg', import.meta.url)

export const readBaseline = (): Baseline => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/** Keeps figures that this run did not measure, and redraws the chart. */
export function saveBaseline(findings: readonly Finding[]): void {
  const baseline = readBaseline()
  for (const finding of findings.filter((each) => goalOf(each) > 0 && Number.isFinite(ratioOf(each)))) {
    const reached = { [finding.engine]: Number(ratioOf(finding).toFixed(2)) }
    baseline[finding.key] = { ...baseline[finding.key], work: finding.work, goal: goalOf(finding), ...reached }
  }
  writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`)
  writeFileSync(chart, chartOf(baseline))
}

/** Below a third of the committed ratio something is broken; a smaller difference may be the machine. */
export function collapses(findings: readonly Finding[], baseline: Baseline): string[] {
  return findings.flatMap((finding) => {
    const committed = baseline[finding.key]?.[finding.engine]
    const now = ratioOf(finding)
    if (committed === undefined || now >= committed / 3) return []
    return [`${finding.work} on ${titles[finding.engine]}: ${now.toFixed(2)}, less than a third of ${committed}`]
  })
}
