import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import * as contract from '@mainline/contract'
import { summaries } from '@mainline/contract/summaries'
import { defineConfig, type Plugin } from 'vite'

/**
 * The console needs the routes of operations, not their schemas or documentation. Each area is its own module here, so that operations that no page
 * calls are left out.
 */
function contractWithoutSchemas(): Plugin {
  const [name, slim] = ['@mainline/contract', '\0contract']
  const declared = Object.entries(contract)
  return {
    name: 'contract-without-schemas',
    enforce: 'pre',
    resolveId(source) {
      if (source.startsWith(slim)) return source
      return source === name || source.startsWith(`${name}/`) ? source.replace(name, slim) : undefined
    },
    load(id) {
      if (id === `${slim}/summaries`) return `export const summaries = ${JSON.stringify(summaries)}`
      if (id === slim) return declared.flatMap(exportOf).concat(withoutSchemas).join('\n')
      const [, area] = id.split(`${slim}/`)
      return area === undefined ? undefined : partsOf(declared.find(([each]) => each === area)?.[1])
    },
  }

  function exportOf([each, value]: [string, unknown]): string[] {
    if (isConstant(value)) return [`export const ${each} = ${JSON.stringify(value)}`]
    return isArea(value) ? [`export * as ${each} from ${JSON.stringify(`${slim}/${each}`)}`] : []
  }
}

/** Modules without schemas are bundled from the sources; of problems only their codes. */
const withoutSchemas = [
  `export * from ${JSON.stringify(join(import.meta.dirname, '../contract/src/headers.ts'))}`,
  `export { takesKey } from ${JSON.stringify(join(import.meta.dirname, '../contract/src/endpoint.ts'))}`,
  `const problems = ${JSON.stringify(contract.listProblems().map(({ kind, code, status }) => [kind, code, status]))}`,
  'export const listProblems = () => problems.map(([kind, code, status]) => ({ kind, code, status }))',
]

/** The parts that the client and the query keys use. */
const kept = [
  'name',
  'method',
  'path',
  'area',
  'hasBody',
  'paging',
  'streams',
  'takes',
  'bare',
  'versioned',
  'effect',
  'onlyCalls',
]

const isConstant = (value: unknown) => Array.isArray(value) || ['string', 'number'].includes(typeof value)

const isArea = (value: unknown) => Object.values(value ?? {}).some(contract.isEndpoint)

/** One export for each operation and each constant of an area. */
const partsOf = (area: unknown): string =>
  Object.entries(area ?? {})
    .filter(([, value]) => contract.isEndpoint(value) || isConstant(value))
    .map(([each, value]) => {
      if (isConstant(value)) return `export const ${each} = ${JSON.stringify(value)}`
      const members = Object.entries(value as object).filter(([key, part]) => kept.includes(key) && part)
      return `export const ${each} = ${JSON.stringify(Object.fromEntries(members))}`
    })
    .join('\n')

/** Compressed at build time instead of for every visitor. */
function precompressed(): Plugin {
  return {
    name: 'precompressed',
    writeBundle({ dir = '' }) {
      for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg)$/.test(file)) continue
        const bytes = readFileSync(join(dir, file))
        writeFileSync(
          join(dir, `${file}.br`),
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
        )
        writeFileSync(join(dir, `${file}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  plugins: [contractWithoutSchemas(), precompressed()],
  // No inline fallbacks: the content security policy would block them.
  build: {
    target: 'esnext',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The bundle includes the licences of its libraries.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // "use client" in library files is for React server components, which are not used.
      onLog: (level, log, report) => {
        // A value that the slim contract lacks would be undefined in the browser, and only there.
        if (log.code === 'IMPORT_IS_UNDEFINED') throw new Error(log.message)
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/docs': 'http://127.0.0.1:8080' } },
})
