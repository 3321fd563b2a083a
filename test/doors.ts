import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A source file and what it imports: paths from the project's root, or names of packages. */
export interface Source {
  file: string
  imports: string[]
}

/** Each area may use only those that stand below it here. */
export const areasTopDown = [
  'transfer',
  'audit',
  'subscriptions',
  'querywatch',
  'callbacks',
  'feed',
  'settings',
  'integrations',
  'queries',
  'hosts',
  'instances',
  'modules',
  'sets',
  'topology',
  'privileges',
  'model',
]

export function readSources(): Source[] {
  return readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('packages', file))
    .filter((file) => file.includes('/src/') && !file.includes('node_modules') && /(?<!\.test)\.tsx?$/.test(file))
    .map((file) => ({ file, imports: importsOf(file, readFileSync(join(root, file), 'utf8')) }))
}

export function importsOf(file: string, text: string): string[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)
  return [...found].map(([, target = '']) =>
    target.startsWith('.') ? relative(root, resolve(join(root, dirname(file)), target)) : target,
  )
}

/** Every import that goes through a wall. */
export function brokenDoors(sources: readonly Source[]): string[] {
  return sources.flatMap(({ file, imports }) =>
    imports.flatMap((target) => {
      const why = objection(file, target)
      return why ? [`${file} imports ${target}: ${why}`] : []
    }),
  )
}

const server = 'packages/server/src/'
/** What a command that asks a server may load: it must start quickly. */
const light = [
  'commands/client/',
  'commands/catalogue.ts',
  'commands/arguments.ts',
  'commands/progress.ts',
  'platform/refusal.ts',
  'platform/nearest.ts',
  // For the flags that completion offers, when it is asked for them.
  'platform/config.ts',
  // For the rows of the files that are imported.
  'platform/sheets/',
]
const areaOf = (path: string) => /^packages\/server\/src\/areas\/([^/]+)\//.exec(path)?.[1]

function objection(file: string, target: string): string | undefined {
  if (file.startsWith('packages/contract/')) {
    return target === 'typebox' || target.startsWith('packages/contract/') ? undefined : 'the contract stands alone'
  }
  if (file.startsWith('packages/client/') || file.startsWith('packages/console/')) {
    return target.startsWith(server) ? 'clients know the interface, not the server' : undefined
  }
  if (file.startsWith(`${server}commands/client/`) && target.startsWith(server)) {
    return light.some((each) => target.startsWith(`${server}${each}`))
      ? undefined
      : 'commands that ask a server know the interface, not the server'
  }
  if (file.startsWith(`${server}testing/`)) return undefined
  if (target.startsWith(`${server}testing/`)) return 'only tests use what is made for tests'

  const [from, to] = [areaOf(file), areaOf(target)]
  if (file.startsWith(`${server}platform/`) && target.startsWith(server) && !target.startsWith(`${server}platform/`)) {
    return 'the platform knows no area'
  }
  if (from && target.startsWith(server) && !to && !target.startsWith(`${server}platform/`)) {
    return 'areas are wired by the service, they do not reach for it'
  }
  if (!to || from === to) return undefined
  if (!target.endsWith('/index.ts')) return `${to} is entered through its index.ts`
  if (from === undefined) return undefined
  const [rankFrom, rankTo] = [areasTopDown.indexOf(from), areasTopDown.indexOf(to)]
  if (rankFrom < 0 || rankTo < 0) return 'the area has no place in the order of areas'
  return rankFrom < rankTo ? undefined : `${from} stands below ${to}`
}
