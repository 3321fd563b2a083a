#!/usr/bin/env -S node --max-semi-space-size=8
// The flag: requests leave little behind, and with V8's 32 MB for new objects the process grows by 50 MB and is no faster.
// Plain JavaScript, so that an older Node can still read the sentence that says it is too old.
import module from 'node:module'

const needed = 26
const major = Number(process.versions.node.split('.')[0])
if (major < needed) {
  process.stderr.write(
    `Mainline needs Node ${needed} and this is ${process.version}. Install Node ${needed}, or run it through npm (npm start, npm run mainline -- ..., npx @mainline/server ...), which brings the right one.\n`,
  )
  process.exit(1)
}
// What was compiled once is not compiled at every start; nor in threads, which learn from the environment where it is.
const { directory } = module.enableCompileCache()
if (directory) process.env.NODE_COMPILE_CACHE = directory
module.registerHooks({ resolve: (await import('./bundled.mjs')).resolveBundled })
await import('../src/main.ts')
