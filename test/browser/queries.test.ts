import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

declare const navigator: { readonly clipboard: { writeText(text: string): Promise<void> } }

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('builds a query for web servers with a live result, saves it, and provides commands that work', async () => {
  const seen = await demo.visit('/queries/2')
  const { page } = seen
  await page.getByText('No saved queries yet').waitFor()
  await page.getByText(/^1.50 of \d+$/).waitFor()
  await page.getByLabel('Value', { exact: true }).fill('web')
  await page.getByText('8 hosts', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page
    .getByRole('button', { name: /Object/ })
    .last()
    .click()
  await page.getByRole('option', { name: 'Host' }).click()
  await page
    .getByRole('button', { name: /Attribute/ })
    .last()
    .click()
  await page.getByRole('option', { name: 'Operating system', exact: true }).click()
  await page.getByLabel('Value', { exact: true }).last().fill('Debian')
  await page.getByRole('button', { name: /Add a column/ }).click()
  await page.getByRole('option', { name: 'Host: CPU cores' }).click()
  await page.getByRole('columnheader', { name: 'CPU cores' }).waitFor()
  await page.getByText('7 hosts', { exact: true }).waitFor()
  const found = (await page.getByRole('table').getByRole('row').count()) - 1
  await page.getByRole('textbox', { name: 'Name' }).fill('web servers')
  await isSound(seen)
  // However slow the answers, the previous result stays visible.
  await page.route('**/userapi/detail/**', async (route) => {
    await sleep(500)
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save query' }).click()
  await page.waitForURL(/query=/)
  expect(await page.getByRole('table').count()).toBe(1)
  await page.getByText('Query web servers has been saved').waitFor()
  await page.getByRole('link', { name: 'web servers' }).waitFor()
  await picture(page, 'queries')

  // Rows lead to their hosts, and can be moved.
  const first = page.getByRole('table').getByRole('row').nth(1)
  const address = await first.getByRole('link').innerText()
  await page.getByRole('checkbox', { name: `Select ${address}` }).click({ force: true })
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('heading', { name: 'Move 1 host' }).waitFor()
  await isSound(seen)
  await page.keyboard.press('Escape')
  await picture(page, 'queries-selected')
  await page.getByRole('button', { name: 'Unselect all' }).click()

  const snippet = async (way: string) => {
    await page.getByRole('tab', { name: way }).click()
    return (await page.getByRole('tabpanel').locator('code').textContent()) ?? ''
  }
  const run = async (command: string) => (await promisify(execFile)('bash', ['-euc', command])).stdout
  expect(JSON.parse(await run(await snippet('Shell'))).data.count).toBe(found)
  const csv = await run((await snippet('Spreadsheet')).replace(/-o \S+/, ''))
  expect(csv.trim().split('\r\n')).toHaveLength(found + 1)
  const [, targets = ''] = /url: (\S+)/.exec(await snippet('Prometheus')) ?? []
  expect(await (await fetch(targets)).json()).toHaveLength(found)
  // Ansible itself is not needed: test/integrations-guide.test.ts tests the plugin.
  const { url, business, query } = parse(await snippet('Ansible'))
  const answer = await fetch(`${url}/api/v3/integrations/ansible/${business}/${query}`)
  const inventory = (await answer.json()) as { _meta: { hostvars: object } }
  expect(Object.keys(inventory._meta.hostvars)).toHaveLength(found)
  await isSound(seen)
  await picture(page, 'queries-use')

  const exported = async (format: 'CSV' | 'JSON') => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: `Export ${format}` }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe(`web servers.${format.toLowerCase()}`)
    return readFileSync(await file.path(), 'utf8')
  }
  const rows = JSON.parse(await exported('JSON')) as { host: Record<string, unknown>; module: object }[]
  expect(rows).toHaveLength(found)
  expect(rows[0]).toMatchObject({
    host: { bk_cpu: expect.any(Number) },
    module: { bk_module_name: expect.any(String) },
  })
  const [head = '', ...lines] = (await exported('CSV')).replace('\ufeff', '').split('\r\n')
  expect(head.split(',')).toContain('Host: CPU cores')
  expect(lines).toHaveLength(found)

  await page.reload()
  expect(await page.getByLabel('Value', { exact: true }).last().inputValue()).toBe('Debian')
  expect(await page.getByRole('tab', { name: 'Ansible' }).getAttribute('aria-selected')).toBe('true')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Query web servers has been deleted').waitFor()
  await page.getByText('No saved queries yet').waitFor()
  expect(page.url()).toBe(`${demo.url}/queries/2`)
})

it('keeps an unsaved query in the address, so that it can be shared and returned to', async () => {
  const seen = await demo.visit('/queries/2')
  const { page } = seen
  const value = page.getByLabel('Value', { exact: true })
  // Typed letter by letter at the front: updates from the address must not disturb typing.
  await value.click()
  await page.keyboard.type('inx')
  await page.keyboard.press('Home')
  await page.keyboard.type('ng')
  expect(await value.inputValue()).toBe('nginx')
  await page.getByRole('textbox', { name: 'Name' }).pressSequentially('front')
  await page.getByText('16 hosts', { exact: true }).waitFor()
  await expect.poll(() => page.url()).toContain('front')
  const handedOn = await demo.visit(page.url().replace(demo.url, ''))
  await handedOn.page.getByText('16 hosts', { exact: true }).waitFor()
  expect(await handedOn.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('front')

  await page.getByRole('link', { name: 'Hosts' }).click()
  await page.getByRole('heading', { name: 'Hosts' }).waitFor()
  await page.goBack()
  await page.getByText('16 hosts', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'New query' }).click()
  await expect.poll(() => value.inputValue()).toBe('')
  expect(seen.complaints).toEqual([])
})

const save = async (name: string, info: object) => {
  const { data } = await demo.server.call<{ id: string }>('POST', '/userapi', {
    bk_biz_id: 2,
    name,
    info: JSON.stringify(info),
  })
  return data.id
}
const storedInfo = async (id: string) => {
  const { data } = await demo.server.call<{ name: string; info: string }>('GET', `/userapi/detail/2/${id}`)
  return data
}

it('renames queries of other users without changing their definitions; an edited one keeps its meaning', async () => {
  const info = {
    bk_biz_id: 2,
    condition: [
      { bk_obj_id: 'host', fields: [], condition: [{ field: 'bk_comment', operator: '$eq', value: '' }] },
      {
        bk_obj_id: 'set',
        fields: ['bk_set_id'],
        condition: [{ field: 'bk_set_name', operator: '$nin', value: ['web shop', 'checkout'] }],
      },
    ],
  }
  const id = await save('from a script', info)
  const seen = await demo.visit(`/queries/2?query=${id}`)
  const { page } = seen
  await page.getByText('Host: all attributes').waitFor()
  await page.getByRole('columnheader', { name: 'Operating system', exact: true }).waitFor()
  await page.getByRole('button', { name: /is empty/ }).waitFor()
  expect(await page.getByText('This query contains more').count()).toBe(0)
  await page.getByRole('textbox', { name: 'Name' }).fill('renamed')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The changes have been saved').waitFor()
  expect(await storedInfo(id)).toMatchObject({ name: 'renamed', info: JSON.stringify(info) })

  await page.getByLabel('Value', { exact: true }).first().fill('web shop, checkout, old shop')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(async () => JSON.parse((await storedInfo(id)).info))
    .toEqual({
      bk_biz_id: 2,
      condition: [
        info.condition[0],
        {
          bk_obj_id: 'set',
          fields: ['bk_set_id'],
          condition: [{ field: 'bk_set_name', operator: '$nin', value: ['web shop', 'checkout', 'old shop'] }],
        },
      ],
    })
  await isSound(seen)
  await picture(page, 'queries-all-attributes')
  await demo.server.call('DELETE', `/userapi/2/${id}`)
})

it('reports parts of a query that the editor cannot show, runs it unchanged, and keeps them when it is renamed', async () => {
  const condition = [{ field: 'bk_host_name', operator: '$in', value: ['one, two'] }]
  const info = { condition: [{ bk_obj_id: 'host', fields: ['bk_host_innerip'], condition }] }
  const id = await save('two in one', info)
  const seen = await demo.visit(`/queries/2?query=${id}`)
  const { page } = seen
  await page.getByText('This query contains more than this page can show').waitFor()
  await page.getByText('No host matches these conditions').waitFor()
  await picture(page, 'queries-unreadable')
  await page.getByRole('textbox', { name: 'Name' }).fill('one and two')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The changes have been saved').waitFor()
  expect(await storedInfo(id)).toMatchObject({ name: 'one and two', info: JSON.stringify(info) })
  await demo.server.call('DELETE', `/userapi/2/${id}`)
  expect(seen.complaints).toEqual([])
})

it('filters levels by operators in words, and by user-defined attributes', async () => {
  const attribute = { bk_obj_id: 'region', bk_property_id: 'tier', bk_property_name: 'Tier', bk_property_type: 'int' }
  const made = await demo.server.call('POST', '/object/attr', attribute)
  expect(made.result).toBe(true)
  const { data } = await demo.server.call<{ info: { bk_inst_id: number }[] }>(
    'POST',
    '/inst/search/owner/0/object/region',
    {
      condition: { bk_inst_name: 'Europe', bk_biz_id: 2 },
      page: { start: 0, limit: 1 },
    },
  )
  const changed = await demo.server.call('PUT', `/inst/0/region/${data.info[0]?.bk_inst_id}`, { tier: 1 })
  expect(changed.result).toBe(true)
  const seen = await demo.visit('/queries/2')
  const { page } = seen
  const choose = async (field: RegExp, name: string) => {
    await page.getByRole('button', { name: field }).first().click()
    await page.getByRole('option', { name, exact: true }).click()
  }
  await choose(/Object/, 'Level')
  await choose(/Attribute/, 'Name')
  await page.getByLabel('Value', { exact: true }).fill('Europe')
  await page.getByText('36 hosts', { exact: true }).waitFor()
  await choose(/Attribute/, 'Region: Tier')
  await choose(/Operator/, 'is at most')
  await page.getByLabel('Value', { exact: true }).fill('1')
  await page.getByText('36 hosts', { exact: true }).waitFor()
  await page.getByRole('button', { name: /Add a column/ }).click()
  expect(await page.getByRole('option', { name: /Level/ }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await picture(page, 'queries-levels')
  expect(seen.complaints).toEqual([])
})

it('turns pasted lines into a list', async () => {
  const { page } = await demo.visit('/queries/2', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('button', { name: /Operator/ }).click()
  await page.getByRole('option', { name: 'is one of' }).click()
  await page.evaluate(() => navigator.clipboard.writeText('web\nnginx\n'))
  await page.getByLabel('Value', { exact: true }).click()
  await page.keyboard.press('Control+v')
  expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('web, nginx')
})

it('shows in Chinese the errors of the server about a query, and that one was deleted', async () => {
  const seen = await demo.visit('/queries/2', chinese)
  const { page } = seen
  await page.getByRole('button', { name: /运算/ }).click()
  await page.getByRole('option', { name: '匹配' }).click()
  await page.getByLabel('值', { exact: true }).fill('(')
  await page.getByRole('alert').getByText('必须是有效的 RE2 正则表达式').waitFor()
  await isSound(seen)
  await page.getByLabel('值', { exact: true }).fill('^web$')
  await page.getByText('8 台主机', { exact: true }).waitFor()
  await picture(page, 'queries-zh')
  await page.goto(`${demo.url}/queries/2?query=c0ffee00000000000000`)
  await page.getByRole('heading', { name: '没有这个查询' }).waitFor()
})
