// Makes the npm packages: one tarball with the server, what it is made from, and the built console; one with the client.
// Usage: node scripts/pack.mjs [folder], which gets the tarballs; dist/ otherwise. Prints their paths, the server's first.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import supported from '../packages/server/bin/supported-node.cjs'
import { entries } from '../packages/server/src/platform/http/docs/contents.ts'
import { folders, others } from '../packages/server/src/platform/http/docs/sources.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = resolve(process.argv[2] ?? join(root, 'dist'))
/** Which commit is packed; unknown outside a checkout. */
const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim()
const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
const isNoStamp = (file) => !file.endsWith('.built')

if (!existsSync(join(root, 'packages/console/dist/index.html'))) {
  fail('The console has not been built: npm run package does both.')
}
process.stdout.write(`${packServer()}\n${packClient()}\n`)

function packServer() {
  const stage = emptied(join(target, 'package'))
  const inside = ['contract', 'client']
  compile(stage, 'scripts/pack.tsconfig.json', 'server', inside)
  copyServer(stage, inside)
  for (const name of inside) copyInside(stage, name, compiled)
  return pack(stage)
}

/** With its types; what it is typed by, the contract, travels inside. */
function packClient() {
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
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'))
  return pack(stage)
}

function emptied(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * Node runs TypeScript as it is, but not below node_modules: there it has to be JavaScript. Packages of ours that are not
 * published by themselves travel inside.
 */
function compile(stage, project, name, inside) {
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

function compiled(exports) {
  return mapped(exports, (file) => `${file}.js`)
}

function compiledWithTypes(exports) {
  return mapped(exports, (file) => ({ types: `${file}.d.ts`, default: `${file}.js` }))
}

function mapped(exports, form) {
  return Object.fromEntries(Object.entries(exports).map(([name, file]) => [name, form(file.replace(/\.ts$/, ''))]))
}

/** The compiler leaves the endings of imports in types as they are in the sources, which are not there. */
function nameCompiledTypes(stage) {
  for (const file of readdirSync(stage, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue
    const text = readFileSync(join(stage, file), 'utf8')
    writeFileSync(join(stage, file), text.replace(/(['"]\.[^'"\n]*)\.ts(['"])/g, '$1.js$2'))
  }
}

/** What the pages of the site are made from, at the same places as here. */
function documentation() {
  return [...folders, ...others, ...entries.flatMap(({ source }) => source.file ?? [])]
}

function copyServer(stage, inside) {
  const { private: _private, dependencies, ...manifest } = manifestOf('packages/server')
  const { optionalDependencies } = manifestOf('.')
  write(join(stage, 'package.json'), {
    ...manifest,
    description: manifestOf('.').description,
    ...(commit && { commit }),
    // What starts it; it runs on the Node of its optional dependencies where this one is older (bin/runtime.mjs).
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
  for (const file of ['docs/openapi.json', 'LICENSE', ...documentation()]) {
    cpSync(join(root, file), join(stage, file), { recursive: true })
  }
  cpSync(join(root, 'packages/server/README.md'), join(stage, 'README.md'))
  const program = readFileSync(join(root, 'packages/server/bin/program.mjs'), 'utf8')
  cpSync(join(root, 'packages/server/bin'), join(stage, 'bin'), { recursive: true })
  writeFileSync(join(stage, 'bin/program.mjs'), program.replace('../src/main.ts', '../src/main.js'))
}

function copyInside(stage, name, exported) {
  const { exports, ...manifest } = manifestOf(join('packages', name))
  write(join(stage, 'node_modules/@mainline', name, 'package.json'), { ...manifest, exports: exported(exports) })
}

function pack(stage) {
  const printed = run('npm', ['pack', stage, '--pack-destination', target, '--loglevel=error'])
  return join(target, printed.trim().split('\n').at(-1))
}

function write(file, content) {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}

function run(command, args) {
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (done.status !== 0) fail(`'${command} ${args.join(' ')}' failed: ${done.error?.message ?? done.stdout}`)
  return done.stdout
}

function fail(why) {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}
