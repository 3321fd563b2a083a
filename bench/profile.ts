import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

const shown = 25
const root = new URL('../', import.meta.url).href
const waiting = new Set(['(idle)', '(root)'])

/** Where the servers of this run spent their CPU time: a table per profile, largest first. */
export function profilesIn(directory: string): string {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.cpuprofile'))
    .sort()
    .map((file) => `${file}\n${summaryOf(JSON.parse(readFileSync(join(directory, file), 'utf8')))}`)
    .join('\n\n')
}

function summaryOf({ nodes, samples, timeDeltas }: Profile): string {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const spent = new Map<string, number>()
  for (const [index, sample] of samples.entries()) {
    const name = names.get(sample) as string
    if (!waiting.has(name)) spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[index] ?? 0))
  }
  const total = [...spent.values()].reduce((sum, each) => sum + each, 0)
  return [...spent]
    .sort(([, one], [, other]) => other - one)
    .slice(0, shown)
    .map(([name, time]) => `${((100 * time) / total).toFixed(1).padStart(6)} %  ${name}`)
    .join('\n')
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const name = functionName || '(anonymous)'
  if (url === '') return name
  const file = url.startsWith(root) ? url.slice(root.length) : url.startsWith('file:') ? fileURLToPath(url) : url
  return `${name}  ${file}:${lineNumber + 1}`
}
