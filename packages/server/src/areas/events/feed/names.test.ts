import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { putLevel } from '../../../testing/data/levels.ts'
import { startServer, type TestServer } from '../../../testing/harness.ts'
import { type Model, modelOf } from '../../model/index.ts'
import { eventNames, partsOf, readEventNames } from './names.ts'

describe('names of events', () => {
  let server: TestServer
  let model: Model
  beforeAll(async () => {
    server = await startServer('sqlite')
    await putLevel(server, 'region')
    model = await modelOf(server.service.storage.read, '0')
  })
  afterAll(() => server.close())

  it('are those of every object and action, including levels, and of moves and identities', () => {
    const names = eventNames(model)
    const objects = ['biz', 'set', 'module', 'host', 'region']
    expect(names).toEqual(
      expect.arrayContaining(objects.flatMap((each) => [`${each}create`, `${each}update`, `${each}delete`])),
    )
    expect(names).toEqual(expect.arrayContaining(['moduletransfer', 'hostidentifier']))
    expect(names).not.toContain('processcreate')
    expect(new Set(names).size).toBe(names.length)
  })

  it('are split into object and action, except those of queries, whose ids may end in any letters', () => {
    expect(partsOf('regiondelete')).toEqual({ kind: 'region', action: 'delete' })
    expect(partsOf('moduletransfer')).toEqual({ kind: 'moduletransfer', action: undefined })
    const name = 'customquery:d3f1q0c2k9v8r7create'
    expect(partsOf(name)).toEqual({ kind: name, action: undefined })
    expect(readEventNames(`${name},hostcreate`, model)).toEqual([name, 'hostcreate'])
  })

  it('are read from a comma list, trimmed and without duplicates', () => {
    expect(readEventNames(' hostcreate,regiondelete ,, hostcreate', model)).toEqual(['hostcreate', 'regiondelete'])
  })

  it.each(['', ' , ,'])('must not be empty: %j', (text) => {
    expect(() => readEventNames(text, model)).toThrow(expect.objectContaining({ code: 1199010 }))
  })

  it.each([
    ['hostcreated', 'hostcreate'],
    ['HostCreate', 'hostcreate'],
    ['setupdat', 'setupdate'],
    ['modultransfer', 'moduletransfer'],
    ['regiondelet', 'regiondelete'],
    ['__proto__', ''],
    ['x'.repeat(100_000), ''],
  ])('unknown ones are refused with suggestions: %.20s', (written, meant) => {
    const refusal = { code: 1199011, message: expect.stringContaining(`did you mean one of ${meant}`) }
    expect(() => readEventNames(`setcreate,${written}`, model)).toThrow(expect.objectContaining(refusal))
  })
})
