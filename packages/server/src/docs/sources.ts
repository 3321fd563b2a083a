import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** In the installed package, or in the source tree: both contain the sources of pages under the same paths. */
const docsFolders = ['../../', '../../../../'].map((place) => fileURLToPath(new URL(place, import.meta.url)))
export const root = docsFolders.find((place) => existsSync(`${place}docs/index.md`)) ?? ''

/** Besides the pages: folders of docs with pictures and scripts; the console's colours. */
export const folders = ['docs/site', 'docs/images', 'docs/grafana', 'docs/prometheus']
const tokens = 'packages/console/src/style/tokens.css'
/** Example answers of the reference and of the API document. */
export const answersFile = 'docs/answers.json'
export const others = [tokens, answersFile]

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

/** Assets of the pages by path below /docs. All others do not exist. */
export function readFiles(): Map<string, File> {
  const names = folders.flatMap((folder) => readdirSync(root + folder).map((name) => `${folder}/${name}`))
  const files = names.map((name): [string, string] => [name.replace(/^docs\//, ''), name])
  const all = [...files, ['site/tokens.css', tokens] as const]
  return new Map(
    all.map(([address, file]) => [address, { type: contentTypeOf(file), bytes: readFileSync(root + file) }]),
  )
}

const contentTypeOf = (file: string) => types[file.split('.').at(-1) ?? ''] ?? 'text/plain; charset=utf-8'

export const readSource = (file: string): string => readFileSync(root + file, 'utf8')
