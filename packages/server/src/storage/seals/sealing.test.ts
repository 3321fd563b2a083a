import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { backupCommand } from '../../commands/copies/backup.ts'
import { restoreCommand } from '../../commands/copies/restore.ts'
import { sealKeyCommand } from '../../commands/verify/seal-key.ts'
import { verifyCommand } from '../../commands/verify/verify.ts'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { type EngineName, eachEngine, makeStore, openedStores, startServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { makeKey, run, sealSome, witnessed, witnessedIn } from '../../testing/inspect/seals.ts'
import { spawnServer } from '../../testing/process.ts'
import { sealNext } from '../log/seals.ts'
import type { Signer } from './signer.ts'

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'mainline-seals-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function emptyStore(name: EngineName) {
  const store = await makeStore(name, openedStores())
  onTestFinished(() => store.remove())
  return store
}

const day = 86_400_000

eachEngine((name) => {
  it('seals from before the key need no signature, and those of a replaced key stay verifiable', async () => {
    const [files, store] = [directory(), await emptyStore(name)]
    const [first, second] = [makeKey(files, 'first'), makeKey(files, 'second')]
    const witness = join(files, 'witness.jsonl')
    let business = 0
    for (const [index, flags] of [[], [`--seal-key=${first.secret}`], [`--seal-key=${second.secret}`]].entries()) {
      const server = await startServer(name, { store, flags: [...flags, `--seal-witness=${witness}`] })
      business ||= await makeBusiness(server)
      await sealSome(server, business)
      await witnessed(witness, index + 1)
      await server.close()
    }
    const verify = (...keys: string[]) => {
      writeFileSync(join(files, 'keys.pub'), keys.map((key) => readFileSync(key, 'utf8')).join(''))
      return verifyCommand([...store.flags, '--public-key', join(files, 'keys.pub'), '--witness', witness])
    }
    await verify(first.open, second.open)
    await expect(verify(second.open)).rejects.toThrow(/segment 2 .* is signed with key [0-9a-f]{16}, which is none of/)
    await expect(verify(makeKey(files, 'other').open)).rejects.toThrow(/segment 3 .* is signed with key/)
    // A process without a key leaves records unsealed, since anyone could have made its seals.
    const keyless = await startServer(name, { store })
    await makeSet(keyless, business)
    await readLog(keyless.service.storage.read)
    await expect(sealNext(keyless.service.storage.engine, Date.now(), true)).rejects.toThrow(/has no key to sign with/)
    await keyless.close()
  })

  it('seals that were not witnessed when the process was killed are witnessed by the next one, without gaps or duplicates', async () => {
    const [files, store] = [directory(), await emptyStore(name)]
    const witness = join(files, 'witness.jsonl')
    // Simulates a kill between the commit of the seal and the write to the witness: this process has no witness.
    const killed = await startServer(name, { store })
    const business = await makeBusiness(killed)
    await sealSome(killed, business)
    await sealSome(killed, business)
    await killed.close()
    // Simulates a kill in the middle of a line.
    const sane = await startServer(name, { store, flags: [`--seal-witness=${witness}`] })
    await witnessed(witness, 2)
    await sane.close()
    const [line = ''] = readFileSync(witness, 'utf8').split('\n')
    writeFileSync(witness, `${line}\n${line.slice(0, 40)}`)
    const again = await startServer(name, { store, flags: [`--seal-witness=${witness}`] })
    await sealSome(again, business)
    await witnessed(witness, 3)
    await again.close()
    expect(witnessedIn(witness).seals.map(({ segment }) => segment)).toEqual([1, 2, 3])
    expect(witnessedIn(witness).unreadable).toEqual([2])
    expect(statSync(witness).mode & 0o777).toBe(0o600)
    await verifyCommand([...store.flags, '--witness', witness])
  })

  it('seals are posted to an address in order, with retries, and the delay is reported', async () => {
    const store = await emptyStore(name)
    const received: number[] = []
    let isUp = false
    const http = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (isUp) received.push(JSON.parse(body).segment)
      response.writeHead(isUp ? 204 : 503).end()
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close())
    const { port } = http.address() as AddressInfo
    const flags = [`--seal-witness=http://127.0.0.1:${port}/seals`]
    const before = await startServer(name, { store, flags })
    const business = await makeBusiness(before)
    await sealSome(before, business)
    await sealSome(before, business)
    const readyz = async () => (await fetch(`${before.url}/readyz`)).json()
    await expect
      .poll(readyz, { timeout: 20_000 })
      .toMatchObject({ status: 'ready', witnessing: expect.stringMatching(/^failing since \d{4}-.*Z$/) })
    const metrics = await (await fetch(`${before.url}/metrics`)).text()
    expect(metrics).toMatch(/^mainline_seal_failures_total\{step="witness"\} [1-9]/m)
    expect(metrics).toMatch(/^mainline_log_unwitnessed_age_seconds \d/m)
    await before.close()

    isUp = true
    const after = await startServer(name, { store, flags })
    await sealSome(after, business)
    await expect.poll(() => received, { timeout: 20_000 }).toEqual([1, 2, 3])
    await expect
      .poll(async () => (await after.call('GET', '/audit/integrity')).data.witnessed, { timeout: 20_000 })
      .toBe(3)
    expect(await (await fetch(`${after.url}/readyz`)).json()).not.toHaveProperty('witnessing')
    await after.close()
  })

  it('a signed restore accounts for the records it lost; an unsigned one does not', async () => {
    const files = directory()
    const [key, witness, backup] = [makeKey(files), join(files, 'witness.jsonl'), join(files, 'backup.mainline')]
    const flags = [`--seal-key=${key.secret}`, `--seal-witness=${witness}`]
    const original = await startServer(name, { flags })
    const business = await makeBusiness(original)
    await sealSome(original, business)
    await makeSet(original, business)
    await backupCommand([backup, ...original.store.flags])
    await sealSome(original, business)
    await witnessed(witness, 2)
    await original.close()

    const place = async () => {
      const store = await makeStore(name)
      onTestFinished(() => store.remove())
      return store
    }
    const keyless = await place()
    await expect(restoreCommand([backup, ...keyless.flags])).rejects.toThrow(/no key to sign with/)
    const store = await place()
    await restoreCommand([backup, ...store.flags, `--seal-key=${key.secret}`])
    const restored = await startServer(name, { store, flags })
    await readLog(restored.service.storage.read)
    await sealSome(restored, business, 1)
    await witnessed(witness, 4)
    await restored.close()
    const check = (...more: string[]) => verifyCommand([...store.flags, '--witness', witness, ...more])
    await check('--public-key', key.open)
    await expect(check()).rejects.toThrow(/were witnessed and are not there .*: a backup was restored, and no key/)
  })

  it('a failing signing command does not affect changes: records wait to be sealed', async () => {
    const files = directory()
    const { open } = makeKey(files)
    const flags = ['--seal-command=echo no signature; exit 3', `--seal-public-key=${open}`]
    const server = await startServer(name, { flags })
    const business = await makeBusiness(server)
    await readLog(server.service.storage.read)
    await run(server.service.storage.engine, [`UPDATE log SET op_time = op_time - ${day}`])
    const readyz = async () => (await fetch(`${server.url}/readyz`)).json()
    await expect
      .poll(readyz, { timeout: 20_000 })
      .toMatchObject({ status: 'ready', sealing: expect.stringMatching(/^failing since/) })
    expect(await makeSet(server, business)).toBeGreaterThan(0)
    expect((await server.call('GET', '/audit/integrity')).data).toMatchObject({ segments: 0, faults: [] })
    expect(await (await fetch(`${server.url}/metrics`)).text()).toMatch(
      /^mainline_seal_failures_total\{step="seal"\} [1-9]/m,
    )
    await server.close()
  })

  it('sealing continues with the next segment if another process has sealed first', async () => {
    const files = directory()
    const server = await startServer(name, { flags: [`--seal-key=${makeKey(files).secret}`] })
    const business = await makeBusiness(server)
    await readLog(server.service.storage.read)
    const { engine, seals } = server.service.storage
    const signer = seals.signer as Signer
    const terms = (sign: Signer['sign']) => ({ signer: { ...signer, sign }, retentionDays: 0 })
    let signed = 0
    const seal = await sealNext(
      engine,
      Date.now(),
      true,
      terms(async (text) => {
        if (signed++ === 0) {
          expect(await sealNext(engine, Date.now(), true, terms(signer.sign))).toMatchObject({ segment: 1 })
          await makeSet(server, business)
          await readLog(server.service.storage.read)
        }
        return signer.sign(text)
      }),
    )
    expect(seal).toMatchObject({ segment: 2 })
    expect(signed).toBe(2)
    await server.close()
  })

  it('signs with a command', async () => {
    const files = directory()
    const { open, secret } = makeKey(files)
    const script = join(files, 'sign.mjs')
    writeFileSync(
      script,
      `import { sign } from 'node:crypto'
       import { readFileSync } from 'node:fs'
       console.log(sign(null, readFileSync(0), readFileSync('${secret}', 'utf8')).toString('base64'))`,
    )
    const server = await startServer(name, {
      flags: [`--seal-command=${process.execPath} ${script}`, `--seal-public-key=${open}`],
    })
    const { segment } = await sealSome(server, await makeBusiness(server))
    expect((await server.call('GET', '/audit/integrity')).data).toMatchObject({ signed: segment, witnessed: null })
    await verifyCommand([...server.store.flags, '--public-key', open])
    await server.close()
  })
})

it('two processes on one PostgreSQL seal and sign each segment once', async () => {
  const [files, store] = [directory(), await emptyStore('postgres')]
  const [key, witness] = [makeKey(files), join(files, 'witness.jsonl')]
  const flags = [`--seal-key=${key.secret}`, `--seal-witness=${witness}`]
  const [one, other] = [
    await startServer('postgres', { store, flags }),
    await startServer('postgres', { store, flags }),
  ]
  const business = await makeBusiness(one)
  for (let segment = 1; segment <= 3; segment++) {
    await makeSet(one, business)
    await readLog(one.service.storage.read)
    const seals = await Promise.all(
      [one, other].map(({ service: { storage } }) =>
        sealNext(storage.engine, Date.now(), true, { signer: storage.seals.signer, retentionDays: 0 }),
      ),
    )
    expect(seals.filter(Boolean)).toHaveLength(1)
  }
  await witnessed(witness, 3)
  // The other process takes over the lease and continues after the last seal in the file.
  await one.close()
  await sealSome(other, business)
  await witnessed(witness, 4)
  expect(witnessedIn(witness).seals.map(({ segment }) => segment)).toEqual([1, 2, 3, 4])
  await verifyCommand([...store.flags, '--witness', witness, '--public-key', key.open])
  await other.close()
})

it('a key that cannot sign is refused with the reason', async () => {
  const files = directory()
  const { secret, open } = makeKey(files)
  const [text, rsa] = [join(files, 'text'), join(files, 'rsa.key')]
  writeFileSync(text, 'not a key')
  const { generateKeyPairSync } = await import('node:crypto')
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(rsa, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const starting = (...flags: string[]) => startServer('sqlite', { flags })
  await expect(starting(`--seal-key=${join(files, 'none')}`)).rejects.toThrow(
    /none cannot be used: there is no such file/,
  )
  await expect(starting(`--seal-key=${files}`)).rejects.toThrow(/cannot be used: it is a directory/)
  await expect(starting(`--seal-key=${text}`)).rejects.toThrow(/text is not a private key in PEM/)
  await expect(starting(`--seal-key=${open}`)).rejects.toThrow(/seal.pub is not a private key in PEM/)
  await expect(starting(`--seal-key=${rsa}`)).rejects.toThrow(/is a key of type rsa, and seals are signed with Ed25519/)
  await expect(starting(`--seal-key=${secret}`, '--seal-command=true')).rejects.toThrow(/are both set/)
  await expect(starting('--seal-command=true')).rejects.toThrow(/needs MAINLINE_SEAL_PUBLIC_KEY/)
  await expect(verifyCommand(['--public-key', text])).rejects.toThrow(/text holds no public key/)
  await expect(verifyCommand(['--witness', text])).rejects.toThrow(/text holds no seal/)
  await expect(verifyCommand(['--witness', join(files, 'none')])).rejects.toThrow(/there is no such file/)
})

it('a created key is readable by its owner only, and never overwrites a file', async () => {
  const file = join(directory(), 'seal.key')
  await sealKeyCommand(['create', file])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const made = createHash('sha256').update(readFileSync(file)).digest('hex')
  await expect(sealKeyCommand(['create', file])).rejects.toThrow(/it exists already, and a key is never overwritten/)
  expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(made)
  await sealKeyCommand(['public', file])
  await expect(sealKeyCommand(['make', file])).rejects.toMatchObject({ exitCode: 2 })
  await expect(sealKeyCommand(['create'])).rejects.toThrow(/Which file\?/)
})

it('an unwritable witness file delays only witnessing', async () => {
  const files = directory()
  const witness = join(files, 'gone', 'witness.jsonl')
  const server = await startServer('sqlite', { flags: [`--seal-witness=${witness}`] })
  const business = await makeBusiness(server)
  await sealSome(server, business)
  await expect
    .poll(async () => (await fetch(`${server.url}/readyz`)).json(), { timeout: 20_000 })
    .toMatchObject({ status: 'ready', witnessing: expect.any(String) })
  expect(await makeSet(server, business)).toBeGreaterThan(0)
  await server.close()
})

it('a process that is killed while its witness hangs leaves no gap', async () => {
  const store = await emptyStore('sqlite')
  const received: number[] = []
  let [isHanging, asked] = [true, 0]
  const http = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked++
    if (isHanging) return
    received.push(JSON.parse(body).segment)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as AddressInfo
  const witness = `--seal-witness=http://127.0.0.1:${port}/`
  // The demo data is sealed once it is complete.
  const killed = await spawnServer(store, ['--demo', witness])
  await expect.poll(() => asked, { timeout: 60_000 }).toBeGreaterThan(0)
  await killed.end('SIGKILL')
  isHanging = false
  const next = await spawnServer(store, [witness])
  await expect.poll(() => received, { timeout: 60_000 }).toEqual([1])
  await next.end('SIGTERM')
})
