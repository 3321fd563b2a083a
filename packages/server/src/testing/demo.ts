// The demo estate: made once in a process, and copied for every store that is to have it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillEstate } from '../commands/estate.ts'
import { configOf, startServer } from './harness.ts'

const fileIn = (dataDir: string) => join(dataDir, 'mainline.db')
let made: Promise<Buffer> | undefined

/** Where nothing is yet, what `mainline serve --demo` puts there before it serves. */
export async function putDemo(dataDir: string): Promise<void> {
  made ??= makeDemo()
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(fileIn(dataDir), await made)
}

async function makeDemo(): Promise<Buffer> {
  const { service, store } = await startServer('sqlite')
  await fillEstate(service.storage, configOf(store), { hosts: 500, progress: () => {} })
  await service.close()
  const bytes = readFileSync(fileIn(store.dataDir))
  store.remove()
  return bytes
}
