// Makes the npm package: one tarball with the server, what it is made from, and the built console.
// Usage: node scripts/pack.mjs [folder], which gets the tarball; dist/ otherwise. Prints the tarball's path.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entries } from '../packages/server/src/platform/http/docs/contents.ts'
import { folders, others } from '../packages/server/src/platform/http/docs/sources.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = resolve(process.argv[2] ?? join(root, 'dist'))
const stage = join(target, 'package')
const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
/** Packages of ours that are not published by themselves: they travel inside. */
const inside = ['contract', 'client']
const isNoStamp = (file) => !file.endsWith('.built')

if (!existsSync(join(root, 'packages/console/dist/index.html'))) {
  fail('The console has not been built: npm run package does both.')
}
rmSync(stage, { recursive: true, force: true })
mkdirSync(stage, { recursive: true })
compile()
copyServer()
for (const name of inside) copyInside(name)
process.stdout.write(`${pack()}\n`)

/** Node runs TypeScript as it is, but not below node_modules: there it has to be JavaScript. */
function compile() {
  const emitted = join(stage, 'emitted')
  run('tsc', ['--project', join(root, 'scripts/pack.tsconfig.json'), '--outDir', emitted])
  renameSync(join(emitted, 'server/src'), join(stage, 'src'))
  for (const name of inside) {
    const home = join(stage, 'node_modules/@mainline', name)
    mkdirSync(home, { recursive: true })
    renameSync(join(emitted, name, 'src'), join(home, 'src'))
  }
  rmSync(emitted, { recursive: true })
}

/** What the pages of the site are made from, at the same places as here. */
function documentation() {
  return [...folders, ...others, ...entries.flatMap(({ source }) => source.file ?? [])]
}

function copyServer() {
  const { private: _private, dependencies, ...manifest } = manifestOf('packages/server')
  const { optionalDependencies } = manifestOf('.')
  write('package.json', {
    ...manifest,
    description: manifestOf('.').description,
    engines: { node: '>=26' },
    dependencies,
    // The runtime, for whoever has an older one: npx puts it in front.
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
  const bin = readFileSync(join(root, 'packages/server/bin/mainline.mjs'), 'utf8')
  cpSync(join(root, 'packages/server/bin'), join(stage, 'bin'), { recursive: true })
  writeFileSync(join(stage, 'bin/mainline.mjs'), bin.replace('../src/main.ts', '../src/main.js'), { mode: 0o755 })
}

function copyInside(name) {
  const manifest = manifestOf(join('packages', name))
  write(join('node_modules/@mainline', name, 'package.json'), { ...manifest, exports: { '.': './src/index.js' } })
}

function pack() {
  const printed = run('npm', ['pack', stage, '--pack-destination', target, '--loglevel=error'])
  return join(target, printed.trim().split('\n').at(-1))
}

function write(file, content) {
  writeFileSync(join(stage, file), `${JSON.stringify(content, null, 2)}\n`)
}

function run(command, args) {
  const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: path },
    shell: process.platform === 'win32',
  })
  if (done.status !== 0) fail(`'${command} ${args.join(' ')}' failed: ${done.error?.message ?? done.stdout}`)
  return done.stdout
}

function fail(why) {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}
