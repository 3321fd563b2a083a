import type { Comparison, Showing, Spread } from './compare.ts'
import type { EngineName } from './store.ts'

interface Found {
  /** Its key in the baseline. */
  readonly key: string
  /** Its name in the table. */
  readonly work: string
  readonly engine: EngineName
}

/** A rate and its limit, measured in one run. */
interface Ratio extends Found, Comparison {
  /** 0 if there is no goal: a figure of the machine, for other rows to compare with. */
  readonly atLeast: number
}

/** A figure without a measured limit, compared with a fixed goal. */
interface Amount extends Found {
  readonly value: Spread
  readonly unit: 'ms' | 'MB' | 'kB' | '/s' | 'B/s' | 'x'
  /** Infinite for a figure of the machine, shown beside another row. */
  readonly atMost: number
}

export type Finding = Ratio | Amount

const isRatio = (finding: Finding): finding is Ratio => 'atLeast' in finding

/** Higher is better; for an amount, the goal divided by it. */
export const ratioOf = (finding: Finding): number =>
  isRatio(finding) ? finding.ratio.median : finding.atMost / finding.value.median

/** The goal of that ratio. */
export const goalOf = (finding: Finding): number => (isRatio(finding) ? finding.atLeast : 1)

/** A median that reaches the goal while a repetition does not is inconclusive. */
function verdict(finding: Finding): string {
  const good = (value: number) => (isRatio(finding) ? value >= finding.atLeast : value <= finding.atMost)
  const { median, low, high } = isRatio(finding) ? finding.ratio : finding.value
  if (!good(median)) return '  MISSED'
  return good(low) && good(high) ? '' : '  UNCLEAR'
}

export const engines: readonly EngineName[] = ['sqlite', 'postgres']
export const titles: Record<EngineName, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
/** Above this share of a core the generator, not the server, may have been the bottleneck. */
const busy = 0.9

/** Rows of cells: the measurement, one column per engine, and the goal. */
export function tableOf(findings: readonly Finding[]): string {
  const present = engines.filter((engine) => findings.some((finding) => finding.engine === engine))
  const lines = [['', ...present.map((engine) => titles[engine]), 'reach']]
  for (const same of Map.groupBy(findings, (finding) => finding.key).values()) {
    const on = (show: (finding: Finding) => string) =>
      present.map((engine) => {
        const finding = same.find((each) => each.engine === engine)
        return finding ? show(finding) : ''
      })
    const [any] = same as [Finding]
    lines.push([any.work, ...on(headline), goal(any)])
    if (!isRatio(any)) continue
    for (const side of ['measured', 'limit'] as const) {
      lines.push([`  ${any[side].name}`, ...on((finding) => showing((finding as Ratio)[side])), ''])
    }
  }
  return laidOut(lines)
}

function goal(finding: Finding): string {
  if (!isRatio(finding)) return Number.isFinite(finding.atMost) ? `<= ${finding.atMost} ${finding.unit}` : ''
  return finding.atLeast > 0 ? `>= ${finding.atLeast}` : ''
}

function headline(finding: Finding): string {
  const { median, low, high } = isRatio(finding) ? finding.ratio : finding.value
  const write = (value: number) =>
    isRatio(finding) ? value.toFixed(2) : value.toFixed(finding.unit === 'MB' || value >= 100 ? 0 : 1)
  const between = low === high ? '' : ` (${write(low)} to ${write(high)})`
  const unit = isRatio(finding) ? '' : ` ${finding.unit}`
  return `${write(median)}${unit}${between}${verdict(finding)}`
}

function showing({ perSecond, p50, processor, generatorBusy, machineBusy }: Showing): string {
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  const spent = processor === undefined ? '' : `, cpu ${whole(processor)} us`
  const machine = machineBusy === undefined ? '' : `, machine ${whole(100 * machineBusy)} %`
  const warning = (generatorBusy ?? 0) > busy ? ' *' : ''
  return `${whole(perSecond)}/s, p50 ${whole(p50)} us${spent}${machine}${warning}`
}

function laidOut(lines: readonly string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const legend = `Median of the repetitions (lowest to highest); UNCLEAR when not all of them reach it. p50: half of the answers took no longer.
cpu: processor time of that process alone for one answer, its threads included; PostgreSQL's own is not in it. machine: of all cores, by whomever.
*: the load generator took more than ${busy * 100} % of a core, so that server may be able to do more.`
