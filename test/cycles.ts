import type { Source } from './imports.ts'

/** Import cycles, direct or indirect; type imports count, too. One group for each cycle, or for several that share a file. */
export function cyclesIn(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map((source) => [source.file, source.imports]))
  const reached = new Map([...imports.keys()].map((file) => [file, reachableFrom(file, imports)]))
  const isMutual = (one: string, other: string) => reached.get(one)?.has(other) && reached.get(other)?.has(one)
  const left = new Set([...imports.keys()].filter((file) => isMutual(file, file)))
  const cycles: string[][] = []
  for (const file of left) {
    const group = [...left].filter((other) => isMutual(file, other))
    for (const each of group) left.delete(each)
    cycles.push(group.toSorted())
  }
  return cycles
}

function reachableFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>()
  const next = [...(imports.get(file) ?? [])]
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (reached.has(at)) continue
    reached.add(at)
    next.push(...(imports.get(at) ?? []))
  }
  return reached
}
