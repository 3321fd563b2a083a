import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const stops = async (page: Awaited<ReturnType<DemoConsole['visit']>>['page']) =>
  page.getByRole('region', { name: 'The main line' }).locator('code').allTextContents()

it('inserts a level into the main line, and takes one out, told before what will change', async () => {
  const seen = await demo.visit('/model')
  const { page } = seen
  await page.getByRole('button', { name: 'Insert a level after Site' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Data hall')
  expect(await page.getByRole('textbox', { name: 'Identifier' }).inputValue()).toBe('datahall')
  await isSound(seen)
  await picture(page, 'model-insert')
  await page.getByRole('button', { name: 'Insert level' }).click()
  await page.getByRole('heading', { name: 'Data hall' }).waitFor()
  await expect.poll(() => stops(page)).toEqual(['biz', 'region', 'site', 'datahall', 'set', 'module', 'host'])

  await page.getByRole('button', { name: 'Remove level Data hall' }).click()
  await page.getByText(/^\d+ instances go\. 25 instances move up/).waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove level' }).click()
  await expect.poll(async () => (await stops(page)).length).toBe(6)
})

it('refuses to take out a level when names would clash, and says which', async () => {
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

it('gives an object an attribute that the next form asks for', async () => {
  const seen = await demo.visit('/model?object=set')
  const { page } = seen
  await page.getByRole('button', { name: 'Add attribute' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Cost centre')
  await page.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'Choice' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Name at least one choice').waitFor()
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

it('makes an object with a group, and shows in Chinese why an identifier is taken', async () => {
  const seen = await demo.visit('/model', chinese)
  const { page } = seen
  const create = async () => {
    await page.getByRole('button', { name: '新建模型' }).click()
    await page.getByRole('textbox', { name: '名称' }).fill('机柜')
    await page.getByRole('textbox', { name: '标识' }).fill('rack')
    await page.getByRole('button', { name: /分类/ }).click()
    await page.getByRole('option', { name: '网络' }).click()
    await page.getByRole('button', { name: '创建', exact: true }).click()
  }
  await create()
  await page.getByRole('heading', { name: '机柜' }).waitFor()
  await page.getByRole('button', { name: '新增分组' }).click()
  await page.getByRole('textbox', { name: '名称' }).fill('尺寸')
  await page.getByRole('textbox', { name: '标识' }).fill('size')
  await page.getByRole('button', { name: '创建', exact: true }).click()
  await page.getByRole('region', { name: '尺寸' }).waitFor()
  await isSound(seen)
  await picture(page, 'model-zh')
  await create()
  await page.getByRole('alert').getByText('存在重复的实例').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '删除模型' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: '删除模型' }).click()
  await expect.poll(() => page.getByRole('link', { name: '机柜' }).count()).toBe(0)
})
