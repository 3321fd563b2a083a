import { satisfies } from 'semver'
import type { Locked } from './lock.ts'

/** A list of advisories with the day it was fetched, for comparison without a network. */
export interface Advisories {
  /** The day it was fetched; null for never. */
  readonly fetched: string | null
  readonly advisories: readonly Advisory[]
}

interface Advisory {
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

/** A list older than this is out of date. */
const freshFor = 90

/** The conclusion from the list on a given day. A list that was never fetched, or is too old, is not reported as "no advisories". */
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

/** Prereleases are compared, too: advisories also apply to them. */
export const isWithin = (version: string, range: string): boolean =>
  satisfies(version, range, { includePrerelease: true })

interface Audit {
  vulnerabilities?: Record<
    string,
    { via: (string | { name: string; range: string; severity: string; title: string; url: string })[] }
  >
}

/** The output of `npm audit --json` as a list to store. */
export const fromAudit = ({ vulnerabilities = {} }: Audit): Advisory[] =>
  Object.values(vulnerabilities)
    .flatMap(({ via }) => via.flatMap((cause) => (typeof cause === 'string' ? [] : [cause])))
    .map(({ name, range, severity, title, url }) => ({ package: name, range, severity, title, url }))
