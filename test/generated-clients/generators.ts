// Generators of clients: what they are called with, and the program that is compiled and run with what they generate.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Generator {
  readonly name: 'openapi-typescript' | 'hey-api' | 'orval'
  /** Installed by name, in these versions. */
  readonly packages: readonly string[]
  /** The program below node_modules/.bin and its arguments; it reads document.json and writes `api`. */
  readonly command: readonly [program: string, ...args: string[]]
  readonly config?: { readonly file: string; readonly text: string }
}

export const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
    command: ['openapi-typescript', 'document.json', '--output', 'api.d.ts'],
  },
  {
    name: 'hey-api',
    packages: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3'],
    command: ['openapi-ts', '--input', 'document.json', '--output', 'api'],
  },
  {
    name: 'orval',
    packages: ['orval@8.20.0'],
    command: ['orval', '--config', 'orval.config.mjs'],
    config: {
      file: 'orval.config.mjs',
      text: `export default {
  mainline: {
    input: './document.json',
    output: { target: './api.ts', client: 'fetch', baseUrl: process.env.MAINLINE_URL },
  },
}\n`,
    },
  },
]

const compilerOptions = {
  module: 'commonjs',
  moduleResolution: 'bundler',
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  outDir: 'compiled',
}

/** What the program prints that is generated for, compiled against and sent to a running server. `home` holds node_modules. */
export async function tryOut(generator: Generator, home: string, url: string): Promise<unknown> {
  const { name, command, config } = generator
  const folder = join(home, new URL(url).port)
  const env = { ...process.env, MAINLINE_URL: url }
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{}')
  writeFileSync(join(folder, 'document.json'), await (await fetch(`${url}/openapi.json`)).text())
  if (config) writeFileSync(join(folder, config.file), config.text)
  const [program, ...args] = command
  await run(join(home, 'node_modules/.bin', program), args, { cwd: folder, env })
  cpSync(join(import.meta.dirname, 'programs', `${name}.ts`), join(folder, 'program.ts'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  const compiled = await run(resolve('node_modules/.bin/tsc'), ['-p', folder]).catch((error) => error)
  if (compiled.stdout) throw new Error(`${name}: what it generated does not compile:\n${compiled.stdout}`)
  const { stdout } = await run(process.execPath, [join(folder, 'compiled/program.js')], { env })
  return JSON.parse(stdout)
}
