import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import * as contract from '@mainline/contract'
import { summaries } from '@mainline/contract/summaries'
import { defineConfig, type Plugin } from 'vite'

const brotli = promisify<Buffer, object, Buffer>(brotliCompress)
const gzipped = promisify<Buffer, object, Buffer>(gzip)

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
    async writeBundle({ dir = '' }) {
      const files = readdirSync(dir, { recursive: true, encoding: 'utf8' })
      await Promise.all(
        files.filter((file) => /\.(js|css|html|svg)$/.test(file)).map((file) => compress(join(dir, file))),
      )
    },
  }
}

/** In threads: the best compression takes 3 s of processor time in all. */
async function compress(file: string): Promise<void> {
  const bytes = readFileSync(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  const [br, gz] = await Promise.all([brotli(bytes, { params }), gzipped(bytes, { level: 9 })])
  writeFileSync(`${file}.br`, br)
  writeFileSync(`${file}.gz`, gz)
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
      // Compressing takes longer than bundling.
      checks: { pluginTimings: false },
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
