import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** In the package that is installed, or the root of the source: both hold what the pages are made from at the same places. */
const places = ['../../../../', '../../../../../../'].map((place) => fileURLToPath(new URL(place, import.meta.url)))
export const root = places.find((place) => existsSync(`${place}docs/index.md`)) ?? ''

/** Besides the pages: folders of docs whose files they show and load; the console's colours; a script that they offer. */
export const folders = ['docs/site', 'docs/images', 'docs/grafana', 'docs/prometheus']
const tokens = 'packages/console/src/style/tokens.css'
const inventory = 'integrations/mainline-inventory'
/** Example answers of the reference and of the API document. */
export const answersFile = 'docs/answers.json'
export const others = [tokens, inventory, answersFile]

export interface File {
  readonly type: string
  readonly bytes: Buffer
}

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  json: 'application/json; charset=utf-8',
}

/** What pages show and load besides themselves, by where it is below /docs. Whatever is not listed is not there. */
export function readFiles(): Map<string, File> {
  const names = folders.flatMap((folder) => readdirSync(root + folder).map((name) => `${folder}/${name}`))
  const files = names.map((name): [string, string] => [name.replace(/^docs\//, ''), name])
  const all = [...files, ['site/tokens.css', tokens] as const, [inventory, inventory] as const]
  return new Map(all.map(([address, file]) => [address, { type: typeOf(file), bytes: readFileSync(root + file) }]))
}

const typeOf = (file: string) => types[file.split('.').at(-1) ?? ''] ?? 'text/plain; charset=utf-8'

export const readSource = (file: string): string => readFileSync(root + file, 'utf8')
