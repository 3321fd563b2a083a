import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Finding, ratioOf, titles } from './report.ts'
import type { EngineName } from './store.ts'

export type Baseline = Record<string, Partial<Record<EngineName, number>>>

const file = new URL('baseline.json', import.meta.url)

export const readBaseline = (): Baseline => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/** Keeps what this run did not measure. */
export function saveBaseline(findings: readonly Finding[]): void {
  const baseline = readBaseline()
  for (const finding of findings) {
    baseline[finding.key] = { ...baseline[finding.key], [finding.engine]: Number(ratioOf(finding).toFixed(2)) }
  }
  writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`)
}

/** Below a third of what was committed something has broken; anything nearer may be the machine. */
export function collapses(findings: readonly Finding[], baseline: Baseline): string[] {
  return findings.flatMap((finding) => {
    const committed = baseline[finding.key]?.[finding.engine]
    const now = ratioOf(finding)
    if (committed === undefined || now >= committed / 3) return []
    return [`${finding.work} on ${titles[finding.engine]}: ${now.toFixed(2)}, less than a third of ${committed}`]
  })
}
