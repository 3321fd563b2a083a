// Bundles libraries of many small files into one file each, for a faster start.
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { bundles } from '../packages/server/bin/bundled.mjs'

const files = bundles.map(({ library, url }) => ({ library, file: fileURLToPath(url) }))
const folder = fileURLToPath(new URL('../packages/server/bundled', import.meta.url))
rmSync(folder, { recursive: true, force: true })
await build({
  configFile: false,
  root: dirname(folder),
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: folder,
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(files.map(({ library, file }) => [basename(file, '.js'), library])),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
})

// The bundle of a library includes its licence.
for (const { library } of files.filter(({ library }) => !library.includes('/'))) {
  const home = fileURLToPath(new URL(`../node_modules/${library}`, import.meta.url))
  const licence = readdirSync(home).find((file) => /^licen[cs]e/i.test(file))
  if (!licence) throw new Error(`${library} has no licence file`)
  cpSync(join(home, licence), join(folder, `${library}.LICENSE`))
}
