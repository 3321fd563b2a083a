import type { Locked } from './lock.ts'

/** A list that was fetched on a day, so that it can be compared where there is no network. */
export interface Advisories {
  /** The day it was fetched; null when it never was. */
  readonly fetched: string | null
  readonly advisories: readonly Advisory[]
}

export interface Advisory {
  readonly package: string
  /** As npm writes it: `>=1.0.0 <1.2.3 || =2.0.0`. */
  readonly range: string
  readonly severity: string
  readonly title: string
  readonly url: string
}

export const concerning = (advisories: readonly Advisory[], packages: readonly Locked[]) =>
  packages.flatMap((each) =>
    advisories
      .filter((advisory) => advisory.package === each.name && isWithin(each.version, advisory.range))
      .map((advisory) => ({ ...advisory, version: each.version })),
  )

/** After so many days a list says little about today. */
const freshFor = 90

/** What can be told from a list on this day. One that was never fetched, or long ago, does not say that all is well. */
export function verdictOn(
  { fetched, advisories }: Advisories,
  packages: readonly Locked[],
  today: Date,
): { lines: string[]; isFine: boolean } {
  const newer = 'With a network: npm run advisories -- --refresh'
  if (fetched === null)
    return { lines: [`The list has never been fetched, so nothing is known. ${newer}`], isFine: false }
  const found = concerning(advisories, packages)
  const days = Math.floor((today.getTime() - Date.parse(fetched)) / 86_400_000)
  return {
    lines: [
      ...found.map(
        ({ package: name, version, severity, title, url }) => `${severity}: ${name} ${version}: ${title} (${url})`,
      ),
      `${found.length} known as of ${fetched}, ${days} days ago${days > freshFor ? ', which is too long' : ''}. ${newer}`,
    ],
    isFine: found.length === 0 && days <= freshFor,
  }
}

export function isWithin(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const spelled = part.trim().replace(/^(\S+) - (\S+)$/, '>=$1 <=$2')
    if (spelled === '*' || spelled === '') return true
    return spelled.split(/\s+/).every((condition) => meets(version, condition))
  })
}

function meets(version: string, condition: string): boolean {
  const [, operator = '=', bound = ''] = /^(<=|>=|<|>|=)?(.+)$/.exec(condition) ?? []
  const order = compare(version, bound)
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0, '=': order === 0 }[operator] ?? false
}

/** A version before its release, 1.0.0-beta.1, comes before it. */
function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => /^(\d+)\.(\d+)\.(\d+)(?:-(.+))?/.exec(text) ?? [])
  for (const part of [1, 2, 3]) {
    const difference = Number(left?.[part] ?? 0) - Number(right?.[part] ?? 0)
    if (difference !== 0) return difference
  }
  const [before = '~', after = '~'] = [left?.[4], right?.[4]]
  return before < after ? -1 : before > after ? 1 : 0
}

interface Audit {
  vulnerabilities?: Record<
    string,
    { via: (string | { name: string; range: string; severity: string; title: string; url: string })[] }
  >
}

/** What `npm audit --json` says, as a list to keep. */
export const fromAudit = ({ vulnerabilities = {} }: Audit): Advisory[] =>
  Object.values(vulnerabilities)
    .flatMap(({ via }) => via.flatMap((cause) => (typeof cause === 'string' ? [] : [cause])))
    .map(({ name, range, severity, title, url }) => ({ package: name, range, severity, title, url }))
