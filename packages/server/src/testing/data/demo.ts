// The demo estate: created once per process, and copied for every store that needs it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillEstate } from '../../commands/demo/estate.ts'
import { configOf, forgetPlace, startServer } from '../harness.ts'

const fileIn = (dataDir: string) => join(dataDir, 'mainline.db')
let made: Promise<Buffer> | undefined

/** In an empty store, the same as `mainline serve --demo`. */
export async function putDemo(dataDir: string): Promise<void> {
  made ??= makeDemo()
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(fileIn(dataDir), await made)
}

async function makeDemo(): Promise<Buffer> {
  const { service, store } = await startServer('sqlite')
  await fillEstate(service.storage, configOf(store), { hosts: 500, progress: () => {} })
  await service.close()
  await forgetPlace(store)
  const bytes = readFileSync(fileIn(store.dataDir))
  store.remove()
  return bytes
}
