// The Python client as a wheel: a zip with the modules and what describes them (PEP 427). It needs neither Python nor a network.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'

/** Every wheel of the same files is the same, byte for byte. */
const mtime = new Date(1980, 0, 1)

/** Writes the wheel into a folder and returns its path. */
export function packWheel(root: string, target: string): string {
  const home = join(root, 'packages/python')
  const modules = readdirSync(join(home, 'mainline_client')).filter((name) => /\.(py|typed)$/.test(name))
  const { name, version, metadata } = describe(home)
  const about = `${name.replaceAll('-', '_')}-${version}.dist-info`
  const files = new Map<string, Uint8Array>([
    ...modules.map((file) => [`mainline_client/${file}`, readFileSync(join(home, 'mainline_client', file))] as const),
    ...['LICENSE', 'NOTICE'].map((file) => [`${about}/${file}`, readFileSync(join(root, file))] as const),
    [`${about}/METADATA`, Buffer.from(metadata)],
    [
      `${about}/WHEEL`,
      Buffer.from('Wheel-Version: 1.0\nGenerator: mainline\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    ],
  ])
  const record = `${about}/RECORD`
  const lines = [...files].map(([file, bytes]) => `${file},sha256=${hashOf(bytes)},${bytes.length}`)
  files.set(record, Buffer.from(`${[...lines, `${record},,`].join('\n')}\n`))
  const path = join(target, `${about.replace('.dist-info', '')}-py3-none-any.whl`)
  writeFileSync(path, zipSync(Object.fromEntries(files), { mtime }))
  return path
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url')

function describe(home: string): { name: string; version: string; metadata: string } {
  const project = readFileSync(join(home, 'pyproject.toml'), 'utf8')
  const fieldOf = (key: string) => {
    const [, value] = new RegExp(`^${key} = "(.*)"$`, 'm').exec(project) ?? []
    if (value === undefined) throw new Error(`pyproject.toml has no ${key}`)
    return value
  }
  const [name, version] = [fieldOf('name'), fieldOf('version')]
  const metadata = `Metadata-Version: 2.1
Name: ${name}
Version: ${version}
Summary: ${fieldOf('description')}
License: Apache-2.0
Requires-Python: ${fieldOf('requires-python')}
Description-Content-Type: text/markdown

${readFileSync(join(home, 'README.md'), 'utf8')}`
  return { name, version, metadata }
}
