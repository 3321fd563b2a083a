// @ts-check
// The program itself, on the Node that it needs.
import module from 'node:module'
import { resolveQuickly } from './bundled.mjs'

// What was compiled once is not compiled at every start; nor in threads, which learn from the environment where it is.
const { directory } = module.enableCompileCache()
if (directory) process.env.NODE_COMPILE_CACHE = directory
module.registerHooks({ resolve: resolveQuickly })
await import('../src/main.ts')
