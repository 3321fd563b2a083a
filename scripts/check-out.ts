import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Checks out the program of a commit: its own packages are from the commit, dependencies from this checkout. */
export function checkOut(commit: string, into: string): void {
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 1e9 })
  execFileSync('tar', ['x', '-C', into], { input: archive })
  linkPackages(into)
}

/** Copies this working tree, for tests that change the copy. */
export function copyProgram(into: string): void {
  for (const name of readdirSync('.').filter((each) => each !== 'node_modules' && each !== 'packages')) {
    symlinkSync(resolve(name), join(into, name))
  }
  const filter = (path: string) => !path.endsWith('/node_modules')
  cpSync('packages', join(into, 'packages'), { recursive: true, filter })
  linkPackages(into)
}

function linkPackages(into: string): void {
  mkdirSync(join(into, 'node_modules/@mainline'), { recursive: true })
  for (const name of readdirSync('node_modules').filter((each) => each !== '@mainline')) {
    symlinkSync(resolve('node_modules', name), join(into, 'node_modules', name))
  }
  for (const name of readdirSync(join(into, 'packages'))) {
    symlinkSync(join(into, 'packages', name), join(into, 'node_modules/@mainline', name))
  }
}
