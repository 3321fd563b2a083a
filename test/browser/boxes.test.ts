// Boolean attributes, in every form that contains them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
  await addBox('set', 'audited', 'Audited', true)
  await addBox('host', 'leased', 'Leased', false)
  await addBox('host', 'insured', 'Insured', true)
})
afterAll(() => demo.close())

const addBox = (object: string, id: string, name: string, isrequired: boolean) =>
  demo.server.call('POST', '/object/attr', {
    bk_obj_id: object,
    bk_property_id: id,
    bk_property_name: name,
    bk_property_type: 'bool',
    isrequired,
    editable: true,
  })
type Found = { info: Record<string, unknown>[] }
const sets = async (condition: object) => {
  const body = { fields: [], condition, page: { start: 0, limit: 10 } }
  return (await demo.server.call<Found>('POST', '/set/search/0/2', body)).data.info
}
const hostAt = async (ip: string) => {
  const condition = [{ bk_obj_id: 'host', fields: [], condition: [] }]
  const body = { ip: { data: [ip], exact: 1, flag: 'bk_host_innerip' }, condition }
  const { data } = await demo.server.call<{ info: { host: Record<string, unknown> }[] }>('POST', '/hosts/search', body)
  return data.info[0]?.host
}

it('stores false for a checkbox that was not ticked', async () => {
  const { page } = await demo.visit('/topology/2')
  await page.getByRole('treeitem', { name: 'Frankfurt' }).click()
  await page.getByRole('button', { name: 'Add set' }).click()
  await page.getByRole('textbox', { name: 'Set name' }).fill('returns')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('treeitem', { name: 'returns' }).waitFor()
  expect(await sets({ bk_set_name: 'returns' })).toMatchObject([{ audited: false }])
})

it('updates an instance that is older than a required attribute, and leaves that attribute unset', async () => {
  const { page } = await demo.visit('/topology/2?node=set-3&tab=attributes')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Set description' }).fill('what people see')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('definition').getByText('what people see').waitFor()
  expect(await sets({ bk_set_id: 3 })).toMatchObject([{ bk_set_desc: 'what people see', audited: null }])

  await page.goto(`${demo.url}/hosts?q=10.0.0.7`)
  await page.getByRole('link', { name: '10.0.0.7', exact: true }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Serial number' }).fill('S-7')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('1 host updated').waitFor()
  expect(await hostAt('10.0.0.7')).toMatchObject({ bk_sn: 'S-7', insured: null, leased: null })
})

it('sets false on many hosts, and shows the error of the server beside a checkbox', async () => {
  const seen = await demo.visit('/hosts?q=10.0.0.1%2010.0.0.2')
  const { page } = seen
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click({ force: true })
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  for (const name of ['Leased', 'Insured']) {
    await page.getByRole('button', { name: /Attribute to change/ }).click()
    await page.getByRole('option', { name }).click()
  }
  const why = "'leased' data parameter verification does not pass"
  const refusal = { result: false, bk_error_code: 1199006, bk_error_msg: why, data: null }
  await page.route('**/hosts/batch', (route) => route.fulfill({ status: 400, json: refusal }), { times: 1 })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => page.getByRole('checkbox', { name: 'Leased' }).getAttribute('aria-describedby'))
    .not.toBe(null)
  await isSound(seen)
  await picture(page, 'hosts-edit-boxes')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 hosts updated').waitFor()
  expect(await hostAt('10.0.0.1')).toMatchObject({ leased: false, insured: false })
  expect(await hostAt('10.0.0.2')).toMatchObject({ leased: false, insured: false })
})
