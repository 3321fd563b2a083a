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

/** For the resolution of modules: a library's one file, where there is one. */
export function resolveBundled(specifier, context, next) {
  const url = found.get(specifier)
  return url ? { url, format: 'module', shortCircuit: true } : next(specifier, context)
}
