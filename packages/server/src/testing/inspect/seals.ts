import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Engine } from '../../storage/engine.ts'
import { digestSegment, recordsBetween, sealNext } from '../../storage/log/seals.ts'
import { publicPem } from '../../storage/seals/keys.ts'
import { merkleRoot } from '../../storage/seals/merkle.ts'
import { readWitness } from '../../storage/seals/witness-file.ts'
import { makeSet } from '../data/factories.ts'
import type { TestServer } from '../harness.ts'
import { readLog } from './log.ts'

/** A new key pair in a directory. */
export function makeKey(directory: string, name = 'seal') {
  const { privateKey } = generateKeyPairSync('ed25519')
  const [secret, open] = [join(directory, `${name}.key`), join(directory, `${name}.pub`)]
  writeFileSync(secret, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(open, publicPem(privateKey))
  return { secret, open, privateKey }
}

/** Creates some records, and seals them like the server, without waiting a minute. */
export async function sealSome(server: TestServer, business: number, count = 2, retentionDays = 0) {
  const { storage } = server.service
  for (let made = 0; made < count; made++) await makeSet(server, business)
  await readLog(storage.read)
  const seal = await sealNext(storage.engine, Date.now(), true, { signer: storage.seals.signer, retentionDays })
  expect(seal).toBeDefined()
  return seal as NonNullable<typeof seal>
}

export const witnessedIn = (file: string) => readWitness(readFileSync(file, 'utf8'))

/** Waits until the server has witnessed a segment. */
export const witnessed = (file: string, segment: number) =>
  expect.poll(() => witnessedIn(file).seals.at(-1)?.segment, { timeout: 20_000 }).toBe(segment)

/** Simulates an attacker who can write the database and knows this program: recomputes the seals, without the key. */
export async function resealFrom(server: TestServer, segment: number): Promise<void> {
  const { read, engine } = server.service.storage
  const seals = await read.selectFrom('seal').selectAll().orderBy('segment').execute()
  let previous = seals.find((each) => each.segment === segment)?.previous ?? ''
  for (const seal of seals.filter((each) => each.segment >= segment)) {
    const records = recordsBetween(read, seal.first_position, seal.last_position)
    const { hash, leaves } = await digestSegment(previous, records)
    const root = seal.root === '' ? '' : merkleRoot(leaves).toString('hex')
    await run(engine, [
      `UPDATE seal SET previous = '${previous}', hash = '${hash}', root = '${root}' WHERE segment = ${seal.segment}`,
    ])
    previous = hash
  }
}

export async function run(engine: Engine, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await engine.script(statement)
}
