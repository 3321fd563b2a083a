import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Endpoint } from '@mainline/contract'
import { expect, it } from 'vitest'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { curlOf, pythonOf, typescriptOf } from '../../packages/server/src/docs/reference/examples.ts'
import { areaPage } from '../../packages/server/src/docs/reference/reference.ts'
import { putDemo } from '../../packages/server/src/testing/data/demo.ts'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'

/** The operations of the original API; the others are companions. */
const original = new Set(
  `create_custom_query update_custom_query delete_custom_query search_custom_query get_custom_query_detail get_custom_query_data
  get_role_privilege bind_role_privilege create_user_group update_user_group search_user_group delete_user_group
  search_group_privilege get_user_privilege update_group_privilege
  create_mainline_object delete_mainline_object search_mainline_object get_inst_topo search_inst_topo get_internal_topo
  create_set batch_delete_set delete_set update_set search_set
  save_user_custom search_user_custom get_user_default_custom get_operation_log
  subscribe_event unsubcribe_event update_event_subscribe search_subscription ping_subscription testing_connection`.split(
    /\s+/,
  ),
)
const operations = endpoints.filter(({ name }) => original.has(name))

/** One program for all examples in order, so that the runtime is started once. */
const languages: Record<string, { command: string[]; program: (url: string) => string }> = {
  curl: {
    command: ['bash', '-c'],
    program: () => `set -e\n${operations.map((each) => `printf '\\n${each.name} '\n${curlOf(each)}`).join('\n')}`,
  },
  Python: {
    command: ['python3', '-c'],
    program: () =>
      operations.map((each) => `print(${JSON.stringify(each.name)}, end=" ")\n${pythonOf(each)}`).join('\n'),
  },
  TypeScript: {
    command: [process.execPath, '--input-type=module-typescript', '--eval'],
    program: (url) =>
      [
        "import { createClient } from '@mainline/client'",
        `const client = createClient({ url: '${url}' })`,
        ...operations.map(
          (each) => `{\n${typescriptOf(each)}\nconsole.log('${each.name}', JSON.stringify(data ?? null))\n}`,
        ),
      ].join('\n'),
  },
}

it('knows the 36 operations of the original interface', () => {
  expect(operations.length).toBe(36)
})

it.each(Object.keys(languages))(
  'the examples in %s succeed one after the other on a fresh demo estate',
  async (name) => {
    const { command: [program = '', ...flags] = [], program: source } = languages[name] as (typeof languages)[string]
    const store = await makeStore('sqlite')
    await putDemo(store.dataDir)
    const server = await startServer('sqlite', { store })
    try {
      const text = source(server.url).replaceAll('127.0.0.1:8080', new URL(server.url).host)
      const { stdout } = await promisify(execFile)(program, [...flags, text], { maxBuffer: 2 ** 24 })
      expect(stdout).not.toContain('"result":false')
      const answered = stdout.split('\n').map((line) => line.split(' ')[0])
      expect(answered.filter((word) => original.has(word ?? ''))).toEqual(operations.map((each) => each.name))
    } finally {
      await server.close()
      store.remove()
    }
  },
)

it('the reference has for every operation an example answer, its errors and three ways to send the request', () => {
  const sections = new Map<string, string>()
  for (const area of new Set(endpoints.map((each: Endpoint) => each.area))) {
    for (const section of areaPage(area, endpoints).split(/^## /m).slice(1)) {
      sections.set(section.split(' ')[0] ?? '', section)
    }
  }
  for (const { name } of endpoints) {
    const section = sections.get(name) ?? ''
    for (const part of ['```sh', '```ts', '```python', '**Example answer**', '**Refusals**']) {
      expect(section.includes(part), `${name}: ${part}`).toBe(true)
    }
    expect(section, name).toMatch(/\| \[1199999\]\(\/docs\/errors#1199999\) \| 500 \|/)
  }
})
