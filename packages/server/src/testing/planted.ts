// A copy of the tree in which something is changed on purpose: a bug that tests must find, or a feature that is left out to measure its price.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../../..')

export interface Edits {
  readonly file: string
  /** Each text must occur exactly once. */
  readonly edits: readonly (readonly [from: string, to: string])[]
}

/** Tracked and new files, and the installed packages; our own packages are those of the copy. Removed when this process exits. */
export function copyTree(): string {
  const home = mkdtempSync(join(tmpdir(), 'mainline-copy-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of listed.split('\n').filter(Boolean)) cpSync(join(root, file), join(home, file), { force: true })
  mkdirSync(join(home, 'node_modules/@mainline'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== '@mainline')) {
    symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name))
  }
  for (const name of readdirSync(join(root, 'node_modules/@mainline'))) {
    symlinkSync(join(home, 'packages', name), join(home, 'node_modules/@mainline', name))
  }
  return home
}

/** Changes a file of the copy; the returned function restores it. */
export function plant(copy: string, { file, edits }: Edits): () => void {
  const path = join(copy, file)
  const whole = readFileSync(path, 'utf8')
  const changed = edits.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`${file} does not have this exactly once:\n${from}`)
    return text.replace(from, () => to)
  }, whole)
  writeFileSync(path, changed)
  return () => writeFileSync(path, whole)
}
