import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for a product and what it stores, removed when the bench ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mainline-beside-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Does the work when it is first asked for. */
export function lazily<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined
  return () => {
    done ??= { result: work() }
    return done.result
  }
}

/**
 * Installs a package from npm. Only `built`, packages with native code, run their scripts: they compile for minutes. Returns
 * the Node that runs npm, for which they are compiled: other products support older releases than ours.
 */
export function installFromNpm(folder: string, name: string, built: readonly string[]): string {
  writeFileSync(join(folder, 'package.json'), '{}')
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, `--prefix=${folder}`, '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  npm('install', name, '--ignore-scripts')
  npm('rebuild', ...built, '--ignore-scripts=false')
  return process.env.npm_node_execpath ?? 'node'
}

/** Unpacks a package of Debian without installing it. */
export function unpackFromDebian(folder: string, name: string): void {
  execFileSync('apt-get', ['download', name], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync('sh', ['-c', `dpkg-deb --extract ${name}_*.deb .`], { cwd: folder, stdio: 'inherit' })
}
