import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSheet } from '../../sheets/index.ts'
import { makeBusiness } from '../../testing/data/factories.ts'
import { importFile, type Refused, refusedFile, type Taken } from '../../testing/data/transfer.ts'
import { startServer, type TestServer } from '../../testing/harness.ts'

let server: TestServer
let business: number
beforeAll(async () => {
  server = await startServer('sqlite')
  business = await makeBusiness(server, 'imported')
})
afterAll(() => server.close())
const taken: Taken = (...sent) => importFile(server.url, ...sent)
const refused: Refused = (...sent) => refusedFile(server.url, ...sent)

it('refuses files with unknown columns, and invalid requests', async () => {
  const at = `hosts/${business}`
  const why = async (file: string, query = '') => (await refused(at, file, query)).bk_error_msg
  expect(await why('bk_host_inerip\n1\n')).toContain('did you mean one of bk_host_innerip')
  expect(await why('bk_host_name\nweb\n')).toContain('including bk_host_innerip')
  expect(await why('bk_host_innerip|bk_host_name\n10.0.0.1|x\n')).toContain('is unknown; did you mean')
  expect(await why('bk_host_innerip,bk_host_name,bk_host_innerip\n')).toContain('is duplicated')
  expect(await why('bk_host_innerip,\n10.9.9.9,"x\n')).toContain('never closed')
  expect(await why('')).toContain('it is empty')
  expect(await why('bk_host_innerip\n', 'from=x')).toBe("'from' parameters must be integral")
  expect(await why('bk_host_innerip\n', 'dry_run=maybe')).toContain('true, false')
  expect(await refused('hosts/999999', 'bk_host_innerip\n')).toMatchObject({ status: 404, bk_error_code: 1199019 })
  const form = { 'content-type': 'multipart/form-data; boundary=x' }
  expect(await refused(at, 'x', '', form)).toMatchObject({ status: 415, bk_error_code: 1199415 })
  const many = `topo_path\n${Array.from({ length: 20_001 }, (_, index) => `n${index}`).join('\n')}\n`
  expect(await refused(`topology/${business}`, many, 'atomic=true')).toMatchObject({ bk_error_code: 1199035 })
  const zh = await refused(at, '', '', { HTTP_BLUEKING_LANGUAGE: 'zh-cn' })
  expect(zh.bk_error_msg).toBe('无法导入该文件：文件为空')
  for (const path of ['export/hosts/1?format=pdf', 'import/template/0/hosts?format=', 'import/template/0/nosuch']) {
    expect((await fetch(`${server.url}/api/v3/${path}`)).status, path).toBe(400)
  }
})

it('templates name every column in the caller’s language and can be imported as they are', async () => {
  const template = async (kind: string, query = '', language = 'en') => {
    const headers = { HTTP_BLUEKING_LANGUAGE: language }
    const answer = await fetch(`${server.url}/api/v3/import/template/0/${kind}?${query}`, { headers })
    return Buffer.from(await answer.arrayBuffer())
  }
  const csv = (await template('hosts', '', 'zh-cn')).toString()
  expect(csv).toContain('bk_host_innerip,bk_cloud_id,topo_path')
  expect(csv).toContain('# 内网IP (必填)')
  expect(csv).toContain('1 Linux, 2 Windows, 3 AIX')
  expect((await taken(`hosts/${business}`, csv)).summary).toMatchObject({ rows: 0 })
  for (const kind of ['hosts', 'topology']) {
    const sheet = await readSheet(await template(kind, 'format=xlsx'))
    expect(sheet.rows).toEqual([])
    expect((await taken(`${kind}/${business}`, await template(kind, 'format=xlsx'))).summary.rows).toBe(0)
  }
})

it('refuses a file that is too large', async () => {
  expect(await refused(`hosts/${business}`, Buffer.alloc(33 * 1024 * 1024))).toMatchObject({ status: 413 })
})
