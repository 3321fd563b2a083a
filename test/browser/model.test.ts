import { associations } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const stops = async (page: Awaited<ReturnType<DemoConsole['visit']>>['page']) =>
  page.getByRole('region', { name: 'Main line', exact: true }).locator('code').allTextContents()

it('inserts a level into the main line and removes one, after showing the effects', async () => {
  const seen = await demo.visit('/model')
  const { page } = seen
  await page.getByRole('button', { name: 'Insert a level after Site' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Data hall')
  expect(await page.getByRole('textbox', { name: 'Identifier' }).inputValue()).toBe('datahall')
  await page.getByText(/ 25 instances move down one level\.$/).waitFor()
  const after = page.getByRole('list', { name: 'After' })
  await after.getByRole('listitem').filter({ hasText: 'Data hall' }).first().getByText('new').waitFor()
  expect(await page.getByRole('list', { name: 'Before' }).getByText('Data hall').count()).toBe(0)
  await isSound(seen)
  await picture(page, 'model-insert')
  await page.getByRole('button', { name: 'Insert level' }).click()
  await page.getByRole('heading', { name: 'Data hall' }).waitFor()
  await expect.poll(() => stops(page)).toEqual(['biz', 'region', 'site', 'datahall', 'set', 'module', 'host'])

  await page.getByRole('button', { name: 'Remove level Data hall' }).click()
  await page.getByText(/^\d+ instances will be deleted\. 25 instances move up/).waitFor()
  await page.getByRole('list', { name: 'Before' }).getByText('deleted').first().waitFor()
  await picture(page, 'model-remove')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove level' }).click()
  await expect.poll(async () => (await stops(page)).length).toBe(6)
})

it('refuses to remove a level if names would clash, and shows which', async () => {
  await demo.server.call('POST', '/inst/0/site', { bk_inst_name: 'Frankfurt', bk_biz_id: 2, bk_parent_id: 2 })
  const { page } = await demo.visit('/model?object=region')
  const tree = await demo.server.call<{ child: { bk_inst_id: number; bk_inst_name: string }[] }[]>(
    'GET',
    '/topo/inst/0/2?level=1',
  )
  const asia = tree.data[0]?.child.find((each) => each.bk_inst_name === 'Asia')
  await demo.server.call('POST', '/inst/0/site', {
    bk_inst_name: 'Frankfurt',
    bk_biz_id: 2,
    bk_parent_id: asia?.bk_inst_id,
  })
  await page.getByRole('button', { name: 'Remove level Region' }).click()
  await page.getByText('Frankfurt, 2 times in Web shop').waitFor()
  const button = page.getByRole('alertdialog').getByRole('button', { name: 'Remove level' })
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  await picture(page, 'model-conflict')
})

it('adds an attribute to an object, and shows it in the next form', async () => {
  const seen = await demo.visit('/model?object=set')
  const { page } = seen
  await page.getByRole('button', { name: 'Add attribute' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Cost centre')
  await page.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'Choice' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Enter at least one choice').waitFor()
  await page.getByRole('textbox', { name: 'Choice 1', exact: true }).fill('Sales')
  await page.getByRole('button', { name: 'Add choice' }).click()
  await page.getByRole('textbox', { name: 'Choice 2', exact: true }).fill('Research')
  await isSound(seen)
  await picture(page, 'model-attribute')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('row', { name: /Cost centre cost_centre Choice Sales, Research/ }).waitFor()
  await picture(page, 'model')

  await page.goto(`${demo.url}/topology/2?node=set-4&tab=attributes`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: /Cost centre/ }).click()
  await page.getByRole('option', { name: 'Research' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('definition').filter({ hasText: 'Research' }).waitFor()

  await page.goto(`${demo.url}/model?object=set`)
  await page.getByRole('button', { name: 'Delete Cost centre' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => page.getByRole('row', { name: /Cost centre/ }).count()).toBe(0)
})

it('creates an object with a group, and explains in Chinese why an identifier is taken', async () => {
  const seen = await demo.visit('/model', chinese)
  const { page } = seen
  const create = async () => {
    await page.getByRole('button', { name: '创建模型' }).click()
    await page.getByRole('textbox', { name: '名称' }).fill('机柜')
    await page.getByRole('textbox', { name: '标识' }).fill('rack')
    await page.getByRole('button', { name: /分类/ }).click()
    await page.getByRole('option', { name: '网络' }).click()
    await page.getByRole('button', { name: '创建', exact: true }).click()
  }
  await create()
  await page.getByRole('heading', { name: '机柜' }).waitFor()
  await page.getByRole('button', { name: '创建分组' }).click()
  await page.getByRole('textbox', { name: '名称' }).fill('尺寸')
  await page.getByRole('textbox', { name: '标识' }).fill('size')
  await page.getByRole('button', { name: '创建', exact: true }).click()
  await page.getByRole('region', { name: '尺寸' }).waitFor()
  await isSound(seen)
  await picture(page, 'model-zh')
  await create()
  await page.getByRole('alert').getByText('存在重复的实例').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '放弃' }).click()
  await page.getByRole('button', { name: '删除模型' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: '删除模型' }).click()
  await expect.poll(() => page.getByRole('link', { name: '机柜' }).count()).toBe(0)
})

it('adds, changes and deletes unique rules and associations of an object', async () => {
  await demo.server.call('POST', '/object/attr', {
    bk_obj_id: 'bk_router',
    bk_property_id: 'serial',
    bk_property_name: 'Serial number',
    bk_property_type: 'singlechar',
  })
  const seen = await demo.visit('/model?object=bk_router')
  const { page } = seen
  const rules = page.getByRole('region', { name: 'Unique rules' })
  await rules.getByRole('row', { name: /built in/ }).waitFor()
  await rules.getByRole('button', { name: 'Add unique rule' }).click()
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true })
  expect(await create.getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('checkbox', { name: 'Serial number' }).click({ force: true })
  await isSound(seen, 'all')
  await picture(page, 'model-unique-rule')
  await create.click()
  await rules.getByRole('row', { name: /^Serial number when all values are set enforced/ }).waitFor()
  await rules.getByRole('button', { name: 'Delete the rule on Serial number' }).click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Delete/ })
    .click()
  await expect.poll(() => rules.getByRole('row', { name: /Serial number/ }).count()).toBe(0)

  const associations = page.getByRole('region', { name: 'Associations' })
  await associations.getByText('Instances of this object cannot be associated yet.').waitFor()
  await associations.getByRole('button', { name: 'Add association' }).click()
  await page.getByRole('button', { name: /This object is/ }).click()
  await page.getByRole('option', { name: 'the target' }).click()
  await page.getByRole('button', { name: /Other object/ }).click()
  await page.getByRole('option', { name: 'Switch' }).click()
  await page.getByRole('button', { name: /Mapping/ }).click()
  await page.getByRole('option', { name: /^1:n/ }).click()
  await isSound(seen, 'all')
  await picture(page, 'model-new-association')
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await associations.getByRole('row', { name: /^bk_switch_default_bk_router Switch .* Router 1:n/ }).waitFor()
  await picture(page, 'model-associations')

  await associations.getByRole('button', { name: 'Edit bk_switch_default_bk_router' }).click()
  await page.getByRole('textbox', { name: /Name/ }).fill('Uplinks')
  await page.getByRole('button', { name: /On deletion/ }).click()
  await page.getByRole('option', { name: 'the target is deleted with the source' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await associations.getByRole('row', { name: /Uplinks .* the target is deleted with the source/ }).waitFor()
  await associations.getByRole('button', { name: 'Delete bk_switch_default_bk_router' }).click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Delete/ })
    .click()
  await associations.getByText('Instances of this object cannot be associated yet.').waitFor()
})

it('keeps instances beside the main line, with what they are associated with', async () => {
  const api = demo.server
  await api.call('POST', '/object/association/action/create', {
    bk_obj_id: 'bk_switch',
    bk_asst_id: 'connect',
    bk_asst_obj_id: 'host',
    bk_obj_asst_name: 'Uplink',
  })
  const seen = await demo.visit('/')
  const { page } = seen
  await page.getByRole('link', { name: 'Instances' }).click()
  await page.getByRole('heading', { name: 'Cloud area' }).waitFor()
  await page.getByRole('link', { name: 'default area' }).waitFor()
  await page.getByRole('button', { name: /Object/ }).click()
  await page.getByRole('option', { name: 'Switch' }).click()
  await page.getByRole('button', { name: 'Create instance' }).click()
  await page.getByRole('textbox', { name: /name/i }).fill('spine-9')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'spine-9' }).waitFor()

  await page.getByRole('tab', { name: 'Associations' }).click()
  await page.getByText('It is not associated with any instance.').waitFor()
  await page.getByRole('button', { name: 'Add association' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /Other instance/ }).click()
  await page.getByRole('option').first().click()
  await isSound(seen)
  await picture(page, 'instance-associate')
  await dialog.getByRole('button', { name: 'Add association' }).click()
  await page.getByRole('region', { name: 'Targets' }).getByRole('link').waitFor()
  await picture(page, 'instance-one-neighbour')

  await page.getByRole('button', { name: /^Remove the association with/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('It is not associated with any instance.').waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: /name/i }).fill('spine-10')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'spine-10', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Switch' }).waitFor()
  await picture(page, 'instances')
})

it('shows two hundred neighbours, and what is reached, each with its path', async () => {
  const api = demo.server
  const made = await api.call<{ bk_inst_id: number }>('POST', '/inst/0/bk_switch', { bk_inst_name: 'rack-top' })
  const id = made.data.bk_inst_id
  for (let host = 1; host <= 200; host++) {
    await api.call('POST', '/inst/association/action/create', {
      bk_obj_asst_id: 'bk_switch_connect_host',
      bk_inst_id: id,
      bk_asst_inst_id: host,
    })
  }
  const seen = await demo.visit(`/instances/bk_switch/${id}?tab=associations`, chinese)
  const { page } = seen
  const targets = page.getByRole('region', { name: '目标实例' })
  await expect.poll(() => targets.getByRole('link').count()).toBe(200)
  await isSound(seen, 'all')
  await picture(page, 'instance-neighbours')
  await page.goto(`${demo.url}/instances/bk_switch/${id}?tab=impact&depth=1`)
  await page.getByText('影响 200 个实例').waitFor()
  await isSound(seen, 'all')
  await picture(page, 'instance-impact')
  await page.getByRole('button', { name: /深度/ }).click()
  expect(await page.getByRole('option').count()).toBe(associations.deepestImpact)
  await page.getByRole('option').nth(1).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('depth')).toContain('2')
  await page.getByText('影响 200 个实例').waitFor()
})
