import { existsSync, readFileSync } from 'node:fs'

/** Libraries of hundreds of small files, which would take a third of every start to find (docs/decisions/0016). */
const libraries = ['kysely', 'typebox', 'typebox/compile']
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Where each is as one file, named by its version: one of another version is not found. Made by scripts/bundle.mjs. */
export const bundles = libraries.map((library) => {
  const file = `${library.replace('/', '.')}-${dependencies[library.replace(/\/.*/, '')]}.js`
  return { library, url: new URL(`../bundled/${file}`, import.meta.url) }
})

const found = new Map(bundles.filter(({ url }) => existsSync(url)).map(({ library, url }) => [library, url.href]))

const sources = new URL('../src/', import.meta.url).href
const formats = new Map([
  ['.ts', 'module-typescript'],
  ['.js', 'module'],
])

/**
 * For the resolution of modules: a library's one file, where there is one; and our own sources, which import each other by the names of their files,
 * so that Node need not look for each import on the disk.
 */
export function resolveQuickly(specifier, context, next) {
  const bundle = found.get(specifier)
  if (bundle) return { url: bundle, format: 'module', shortCircuit: true }
  const format = formats.get(specifier.slice(-3))
  if (format && specifier.startsWith('.') && context.parentURL?.startsWith(sources)) {
    return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
  }
  return next(specifier, context)
}
