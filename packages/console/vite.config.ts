import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import * as contract from '@mainline/contract'
import { defineConfig, type Plugin } from 'vite'

/**
 * The console must know where an operation is, not how the server checks it: schemas and examples stay behind,
 * and with them the library that made them.
 */
function contractWithoutSchemas(): Plugin {
  const [name, slim] = ['@mainline/contract', '\0contract']
  const schemas = new Set(['params', 'body', 'data', 'example'])
  const isEndpoint = (value: unknown) => value !== null && typeof value === 'object' && 'allow' in value
  return {
    name: 'contract-without-schemas',
    enforce: 'pre',
    resolveId: (source) => (source === name ? slim : undefined),
    load(id) {
      if (id !== slim) return undefined
      const lines = Object.entries(contract).flatMap(([area, exported]) => {
        if (Array.isArray(exported) || typeof exported === 'string' || typeof exported === 'number') {
          return `export const ${area} = ${JSON.stringify(exported)}`
        }
        const endpoints = Object.entries(exported).filter(([, value]) => isEndpoint(value))
        if (endpoints.length === 0) return []
        const text = JSON.stringify(Object.fromEntries(endpoints), (key, value) =>
          schemas.has(key) ? undefined : value,
        )
        return `export const ${area} = ${text}`
      })
      // What needs no schema comes along as it is.
      const headers = join(import.meta.dirname, '../contract/src/headers.ts')
      return [...lines, `export * from ${JSON.stringify(headers)}`].join('\n')
    },
  }
}

/** Compressed once here instead of for every visitor. */
function precompressed(): Plugin {
  return {
    name: 'precompressed',
    writeBundle({ dir = '' }) {
      for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg)$/.test(file)) continue
        const bytes = readFileSync(join(dir, file))
        writeFileSync(
          join(dir, `${file}.br`),
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
        )
        writeFileSync(join(dir, `${file}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  plugins: [contractWithoutSchemas(), precompressed()],
  // No inline fallbacks: the content policy would refuse them.
  build: {
    target: 'esnext',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" at the head of a library file is meant for servers that render React; there is none here.
      onLog: (level, log, report) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : report(level, log)),
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/docs': 'http://127.0.0.1:8080' } },
})
