import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { audit, DataOf } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyCommand } from '../../commands/verify/verify.ts'
import { findRecords, makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { makeKey, run, sealSome, witnessed } from '../../testing/inspect/seals.ts'

type Receipt = DataOf<typeof audit.getAuditReceipt>

eachEngine((name) => {
  const files = mkdtempSync(join(tmpdir(), 'mainline-receipts-'))
  const [key, witness] = [makeKey(files), join(files, 'witness.jsonl')]
  let server: TestServer
  let [business, other] = [0, 0]
  beforeAll(async () => {
    server = await startServer(name, { flags: [`--seal-key=${key.secret}`, `--seal-witness=${witness}`] })
    business = await makeBusiness(server, 'mine')
    const theirs = { bk_biz_name: 'theirs', bk_biz_maintainer: 'ben' }
    other = (await server.call<{ bk_biz_id: number }>('POST', '/biz/0', theirs)).data.bk_biz_id
    await makeSet(server, other)
    await sealSome(server, business, 5)
    await sealSome(server, business, 1)
  })
  afterAll(async () => {
    await server.close()
    rmSync(files, { recursive: true, force: true })
  })
  const ask = (position: number | string, user = 'admin', more: Record<string, string> = {}) =>
    server.call<Receipt>('GET', `/audit/receipt/${position}`, undefined, { BK_User: user, ...more })
  const positions = async (biz: number) =>
    (await findRecords(server, { bk_biz_id: biz })).data.info.map(({ position }) => Number(position))
  const file = (receipt: unknown) => {
    const path = join(files, 'receipt.json')
    writeFileSync(path, JSON.stringify(receipt))
    return path
  }
  const check = (receipt: unknown, ...proofs: string[]) => verifyCommand(['--receipt', file(receipt), ...proofs])

  it('proves every sealed record, with the key and with the witness', async () => {
    await witnessed(witness, 2)
    const { sealed } = await server.service.storage.read.selectFrom('log_head').selectAll().executeTakeFirstOrThrow()
    for (let position = 1; position <= sealed; position++) {
      const { data } = await ask(position)
      expect(JSON.parse(data.record)[0]).toBe(position)
      await check(data, '--public-key', key.open, '--witness', witness)
    }
    // As saved by curl: with the envelope.
    await check(await ask(1), '--public-key', key.open)
  })

  it('is invalid after any character was changed', async () => {
    const { data } = await ask(3)
    const proofs = ['--public-key', key.open, '--witness', witness]
    const changed = { ...data, record: data.record.replace('admin', 'mallory') }
    expect(changed.record).not.toBe(data.record)
    await expect(check(changed, ...proofs)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/do not give the root/),
    })
    await expect(check({ ...data, position: 4 }, ...proofs)).rejects.toThrow(/not the one at its position/)
    await expect(check({ ...data, path: data.path.toReversed() }, ...proofs)).rejects.toThrow(/do not give the root/)
    const seal = { ...data.seal, sealed_at: data.seal.sealed_at - 86_400_000 }
    await expect(check({ ...data, seal }, ...proofs)).rejects.toThrow(/signature of its seal does not fit/)
    await expect(check({ ...data, seal }, '--witness', witness)).rejects.toThrow(/not among those that were witnessed/)
    await expect(check(data, '--public-key', makeKey(files, 'other').open)).rejects.toThrow(/none of the given keys/)
    const unsigned = { ...data, seal: { ...data.seal, key_id: '', signature: '' } }
    await expect(check(unsigned, '--public-key', key.open)).rejects.toThrow(/its seal is not signed/)
    await expect(check(data)).rejects.toMatchObject({ exitCode: 2 })
    await expect(check({ hello: 1 }, ...proofs)).rejects.toThrow(/holds no receipt/)
  })

  it('requires the privilege to find the record in the audit log', async () => {
    const [own = 0] = await positions(business)
    const [theirs = 0] = await positions(other)
    expect(await ask(own, 'amy')).toMatchObject({ result: true, data: { position: own } })
    expect(await ask(theirs, 'amy')).toMatchObject({
      status: 403,
      bk_error_code: 9900403,
      bk_error_msg: expect.stringContaining(`record ${theirs} is about business ${other}`),
    })
    expect((await ask(theirs, 'amy', { HTTP_BLUEKING_LANGUAGE: 'zh-cn' })).bk_error_msg).toContain(
      `记录 ${theirs} 属于业务 ${other}`,
    )
    // A record of another account is not told from one that does not exist.
    expect(await ask(own, 'admin', { HTTP_BLUEKING_SUPPLIER_ID: 'elsewhere' })).toMatchObject({ status: 404 })
  })

  it('explains why there is none', async () => {
    expect(await ask(999_999)).toMatchObject({ status: 404, bk_error_code: 1199019 })
    for (const wrong of ['0', '-1', 'x', '1.5']) {
      expect(await ask(wrong)).toMatchObject({ status: 400, bk_error_code: 1199009 })
    }
    await makeSet(server, business)
    const { storage } = server.service
    const newest = (await readLog(storage.read)).at(-1)?.position ?? 0
    const pending = await ask(newest)
    expect(pending).toMatchObject({ status: 409, bk_error_code: 1199424, data: null })
    expect(pending.bk_error_msg).toMatch(/there is no receipt for record \d+.*not sealed yet/)
    expect((await ask(newest, 'admin', { HTTP_BLUEKING_LANGUAGE: 'zh-cn' })).bk_error_msg).toMatch(
      /^记录 \d+ 没有凭证.*尚未封存/,
    )

    await run(storage.engine, ['UPDATE log_head SET floor = 3'])
    expect(await ask(2)).toMatchObject({
      status: 410,
      bk_error_code: 1199411,
      bk_error_msg: expect.stringMatching(/the oldest record that is kept is 3/),
    })
    await run(storage.engine, ['UPDATE log_head SET floor = 1'])
  })

  it('is the same under --compat, with errors in the original form', async () => {
    const original = await startServer(name, { flags: ['--compat=bk-cmdb'] })
    await sealSome(original, await makeBusiness(original, 'theirs'), 1)
    expect(await original.call('GET', '/audit/receipt/1')).toMatchObject({
      status: 200,
      result: true,
      data: { position: 1 },
    })
    expect(await original.call('GET', '/audit/receipt/999')).toMatchObject({
      status: 200,
      result: false,
      bk_error_code: 1199019,
    })
    await original.close()
  })
})
