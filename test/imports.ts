import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A source file and its imports: paths from the project's root, or names of packages. */
export interface Source {
  file: string
  imports: string[]
}

/** The areas, each entered through its index.ts. Each may use only those listed below it. */
export const areasTopDown = [
  'transfer',
  'history/undo',
  'history/timeline',
  'audit',
  'events/subscriptions',
  'events/delivery',
  'queries/watch',
  'events/callbacks',
  'history/past',
  'history/recorded',
  'events/feed',
  'settings',
  'integrations',
  'queries/run',
  'impact',
  'hosts',
  'topology',
  'associations',
  'privileges',
  'model',
]

/** `import('...')` is ignored where only what is loaded together counts. */
const allImports = /(?:from|import)\s*\(?\s*'([^']+)'/g
export const importsOnLoad = /(?:from|import)\s*'([^']+)'/g

export function readSources(pattern = allImports): Source[] {
  return readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('packages', file))
    .filter((file) => file.includes('/src/') && !file.includes('node_modules') && /(?<!\.test)\.tsx?$/.test(file))
    .map((file) => ({ file, imports: importsOf(file, readFileSync(join(root, file), 'utf8'), pattern) }))
}

export function importsOf(file: string, text: string, pattern = allImports): string[] {
  return [...text.matchAll(pattern)].map(([, target = '']) =>
    target.startsWith('.') ? relative(root, resolve(join(root, dirname(file)), target)) : target,
  )
}

/** Every import that breaks a rule, with the rule. */
export function brokenRules(sources: readonly Source[]): string[] {
  return sources.flatMap(({ file, imports }) =>
    imports.flatMap((target) => {
      const rule = ruleAgainst(file, target)
      return rule ? [`${file} imports ${target}: ${rule}`] : []
    }),
  )
}

const server = 'packages/server/src/'
/** What a command that calls a server may load: it must start quickly. */
const light = [
  'cli/',
  'commands/catalogue.ts',
  'commands/arguments.ts',
  'commands/progress.ts',
  'common/error-code.ts',
  'common/keys.ts',
  'common/present.ts',
  'common/refusal.ts',
  'common/nearest.ts',
  'common/file-fault.ts',
  // For the completion of flags.
  'common/config.ts',
  // For reading the rows of imported files.
  'sheets/',
]
/** Folders that may import no area and no operation. */
const platform = ['common', 'condition', 'http', 'identity', 'matching', 'outbound', 'sheets', 'storage']

const isIn = (folder: string, path: string) => path.startsWith(`${server}${folder}/`)
const isPlatform = (path: string) => platform.some((folder) => isIn(folder, path))
const areaOf = (path: string) =>
  /^packages\/server\/src\/areas\/((?:events|history|queries)\/[^/]+|[^/]+)\//.exec(path)?.[1]

function ruleAgainst(file: string, target: string): string | undefined {
  if (file.startsWith('packages/contract/')) {
    return target === 'typebox' || target.startsWith('packages/contract/') ? undefined : 'the contract stands alone'
  }
  if (file.startsWith('packages/client/') || file.startsWith('packages/console/')) {
    return target.startsWith(server) ? 'clients know the interface, not the server' : undefined
  }
  if (isIn('cli', file) && target.startsWith(server)) {
    return light.some((each) => target.startsWith(`${server}${each}`))
      ? undefined
      : 'commands that call a server know the interface, not the server'
  }
  if (isIn('testing', file)) return undefined
  if (isIn('testing', target)) return 'only tests use what is made for tests'
  if (isPlatform(file) && target.startsWith(server) && !isPlatform(target)) return 'the platform knows no area'

  const [from, to] = [areaOf(file), areaOf(target)]
  if (from && target.startsWith(server) && !to && !isPlatform(target)) {
    return 'areas are wired by the service, they do not import it'
  }
  if (!to || from === to) return undefined
  if (!target.endsWith('/index.ts')) return `${to} is entered through its index.ts`
  if (from === undefined) return undefined
  const [rankFrom, rankTo] = [areasTopDown.indexOf(from), areasTopDown.indexOf(to)]
  if (rankFrom < 0 || rankTo < 0) return 'the area has no place in the order of areas'
  return rankFrom < rankTo ? undefined : `${from} is below ${to}`
}
