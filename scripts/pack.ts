// Makes the packages: a tarball for npm with the server, what it is made from, and the built console; one with the client; and a wheel
// with the Python client.
// Usage: node scripts/pack.ts [folder], which gets them; dist/ otherwise. Prints their paths, the server's first.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import supported from '../packages/server/bin/supported-node.cjs'
import { entries } from '../packages/server/src/docs/contents.ts'
import { folders, others } from '../packages/server/src/docs/sources.ts'
import { packWheel } from './pack-wheel.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = resolve(process.argv[2] ?? join(root, 'dist'))
/** The packed commit; unknown outside of a checkout. */
const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim()
type Exports = Record<string, string>
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
const isNoStamp = (file: string) => !file.endsWith('.built')
/** Files that the licence requires in every copy. */
const legal = ['LICENSE', 'NOTICE']

if (!existsSync(join(root, 'packages/console/dist/index.html'))) {
  fail('The console has not been built: npm run package does both.')
}
process.stdout.write(`${packServer()}\n${packClient()}\n${packWheel(root, target)}\n`)

function packServer(): string {
  const stage = emptied(join(target, 'package'))
  const inside = ['contract', 'client']
  compile(stage, 'scripts/pack.tsconfig.json', 'server', inside)
  copyServer(stage, inside)
  for (const name of inside) copyInside(stage, name, compiled)
  return pack(stage)
}

/** Including types; the contract, which they depend on, is included in the package. */
function packClient(): string {
  const stage = emptied(join(target, 'client'))
  const inside = ['contract']
  compile(stage, 'scripts/pack-client.tsconfig.json', 'client', inside)
  nameCompiledTypes(stage)
  const { private: _private, exports, dependencies, ...manifest } = manifestOf('packages/client')
  write(join(stage, 'package.json'), {
    ...manifest,
    engines: { node: '>=22' },
    exports: compiledWithTypes(exports),
    dependencies: { ...dependencies, ...manifestOf('packages/contract').dependencies },
    bundleDependencies: inside.map((name) => `@mainline/${name}`),
  })
  for (const name of inside) copyInside(stage, name, compiledWithTypes)
  cpSync(join(root, 'packages/client/README.md'), join(stage, 'README.md'))
  for (const file of legal) cpSync(join(root, file), join(stage, file))
  return pack(stage)
}

function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Node strips types, but not below node_modules: packages have to be JavaScript. Our unpublished packages are included. */
function compile(stage: string, project: string, name: string, inside: readonly string[]): void {
  const emitted = join(stage, 'emitted')
  run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--project',
    join(root, project),
    '--outDir',
    emitted,
  ])
  renameSync(join(emitted, name, 'src'), join(stage, 'src'))
  for (const each of inside) {
    const home = join(stage, 'node_modules/@mainline', each)
    mkdirSync(home, { recursive: true })
    renameSync(join(emitted, each, 'src'), join(home, 'src'))
  }
  rmSync(emitted, { recursive: true })
}

function compiled(exports: Exports) {
  return mapped(exports, (file) => `${file}.js`)
}

function compiledWithTypes(exports: Exports) {
  return mapped(exports, (file) => ({ types: `${file}.d.ts`, default: `${file}.js` }))
}

function mapped(exports: Exports, form: (file: string) => unknown) {
  return Object.fromEntries(Object.entries(exports).map(([name, file]) => [name, form(file.replace(/\.ts$/, ''))]))
}

/** The compiler keeps the extensions of imports in declaration files, but the sources are not in the package. */
function nameCompiledTypes(stage: string): void {
  for (const file of readdirSync(stage, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue
    const text = readFileSync(join(stage, file), 'utf8')
    writeFileSync(join(stage, file), text.replace(/(['"]\.[^'"\n]*)\.ts(['"])/g, '$1.js$2'))
  }
}

/** The sources of the documentation site, under the same paths as in the checkout. */
function documentation(): string[] {
  return [...folders, ...others, ...entries.flatMap(({ source }) => ('file' in source ? source.file : []))]
}

function copyServer(stage: string, inside: readonly string[]): void {
  const { private: _private, dependencies, ...manifest } = manifestOf('packages/server')
  const { optionalDependencies } = manifestOf('.')
  write(join(stage, 'package.json'), {
    ...manifest,
    description: manifestOf('.').description,
    ...(commit && { commit }),
    // The launcher; it uses the Node of the optional dependencies if the current one is older (bin/runtime.mjs).
    engines: { node: `>=${supported.oldestMajor}` },
    dependencies,
    optionalDependencies,
    bundleDependencies: inside.map((name) => `@mainline/${name}`),
  })
  cpSync(join(root, 'packages/server/migrations'), join(stage, 'migrations'), { recursive: true })
  cpSync(join(root, 'packages/server/bundled'), join(stage, 'bundled'), { recursive: true, filter: isNoStamp })
  cpSync(join(root, 'packages/console/dist'), join(stage, 'console'), {
    recursive: true,
    filter: isNoStamp,
  })
  for (const file of ['docs/openapi.json', 'docs/asyncapi.json', ...legal, ...documentation()]) {
    cpSync(join(root, file), join(stage, file), { recursive: true })
  }
  // Without the bytecode that Python leaves there.
  cpSync(join(root, 'integrations'), join(stage, 'integrations'), {
    recursive: true,
    filter: (file) => !file.endsWith('__pycache__'),
  })
  cpSync(join(root, 'packages/server/README.md'), join(stage, 'README.md'))
  const program = readFileSync(join(root, 'packages/server/bin/program.mjs'), 'utf8')
  cpSync(join(root, 'packages/server/bin'), join(stage, 'bin'), { recursive: true })
  writeFileSync(join(stage, 'bin/program.mjs'), program.replace('../src/main.ts', '../src/main.js'))
}

function copyInside(stage: string, name: string, exported: (exports: Exports) => unknown): void {
  const { exports, ...manifest } = manifestOf(join('packages', name))
  write(join(stage, 'node_modules/@mainline', name, 'package.json'), { ...manifest, exports: exported(exports) })
}

function pack(stage: string): string {
  const printed = run('npm', ['pack', stage, '--pack-destination', target, '--loglevel=error'])
  return join(target, printed.trim().split('\n').at(-1) ?? '')
}

function write(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}

function run(command: string, args: readonly string[]): string {
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (done.status !== 0) fail(`'${command} ${args.join(' ')}' failed: ${done.error?.message ?? done.stdout}`)
  return done.stdout
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}
