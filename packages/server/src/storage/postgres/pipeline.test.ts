import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSets, makeBusiness, setBody } from '../../testing/data/factories.ts'
import { startServer, type TestServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import type { Tx } from '../change/change.ts'
import { connectionOf } from '../handles.ts'
import { Violation } from '../violation.ts'

let server: TestServer
let business: number
beforeAll(async () => {
  server = await startServer('postgres', { flags: ['--connections=2'] })
  business = await makeBusiness(server)
})
afterAll(() => server.close())

const actor = { user: 'amy', account: '0', requestId: '' }
const change = <T>(work: (tx: Tx) => Promise<T>) => server.service.storage.change(actor, work)
const statement = (tx: Tx, sql: string, parameters: unknown[] = []) =>
  Promise.resolve(connectionOf(tx).query(sql, parameters))
const insertAccount = (tx: Tx, name: string) =>
  statement(tx, 'INSERT INTO account (name, chain_version, model_version) VALUES ($1, 1, 1)', [name])
const accounts = async () =>
  (await server.service.storage.read.selectFrom('account').select('name').orderBy('name').execute()).map(
    ({ name }) => name,
  )
const record = (tx: Tx) =>
  tx.record({
    operation: 'add',
    object: 'set',
    instance: 1,
    business: 1,
    description: 'tried',
    revision: 1,
    before: null,
    after: { bk_set_name: 'tried' },
  })

it('a change whose statement fails together with its commit is not committed, has no record and leaves the connection usable', async () => {
  const before = (await readLog(server.service.storage.read)).length
  const doomed = change(async (tx) => {
    record(tx)
    tx.later(insertAccount(tx, 'beside'))
    tx.later(insertAccount(tx, '0'))
  })
  await expect(doomed).rejects.toMatchObject({ constraint: 'account_pkey' })
  expect(await accounts()).toEqual(['0'])
  expect(await readLog(server.service.storage.read)).toHaveLength(before)
  const created = await server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: 'after a failure' }))
  expect(created.result).toBe(true)
})

it('reports the statement that failed, also if the change has continued with others', async () => {
  const doomed = change(async (tx) => {
    tx.later(insertAccount(tx, '0'))
    await statement(tx, 'SELECT 1')
    await statement(tx, 'SELECT 2')
  })
  await expect(doomed).rejects.toBeInstanceOf(Violation)
})

it('a duplicate name is reported as such, and a set with another name is created on the same connection', async () => {
  const create = (name: string) => server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: name }))
  expect((await create('twice')).result).toBe(true)
  for (let round = 0; round < 3; round++) {
    expect(await create('twice')).toMatchObject({ result: false, bk_error_code: 1199014 })
    expect((await create(`other ${round}`)).result).toBe(true)
  }
  expect((await findSets(server, business, { bk_set_name: 'twice' })).data.count).toBe(1)
})

it('does nothing in a transaction that has ended', async () => {
  let late: (() => Promise<unknown>) | undefined
  await change(async (tx) => {
    late = () => insertAccount(tx, 'late')
  })
  await expect(late?.()).rejects.toThrow('the transaction has ended')
  expect(await accounts()).toEqual(['0'])
})

it('binds lists, numbers, unset values and texts of all kinds', async () => {
  const texts = ['a', 'with "quotes"', 'back\\slash', 'a,b', '{}', '', 'NULL', '漢字']
  const [row] = await change(async (tx) => {
    const { rows } = await statement(tx, 'SELECT $1::text[] AS texts, $2::bigint[] AS numbers, $3::text AS unset', [
      texts,
      [1, 2 ** 40, -3],
      null,
    ])
    return rows as { texts: string[]; numbers: number[]; unset: null }[]
  })
  expect(row?.texts).toEqual(texts)
  expect(row?.numbers.map(Number)).toEqual([1, 2 ** 40, -3])
  expect(row?.unset).toBeNull()
})
