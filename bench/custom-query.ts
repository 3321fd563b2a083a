import { answerOf } from './answer.ts'
import { type Server, startLimit, startMainline } from './child.ts'
import { type Contender, compare } from './compare.ts'
import type { HostQueryTask, Question } from './limits/host-query.ts'
import { get, load } from './load.ts'
import type { Row } from './row.ts'
import { loadDemo, makeStore } from './store.ts'

const connections = 8
/** The first business of the demo company. */
const business = 2
/** Interval of changes during the measurement, so that no response can be cached for long. */
const changesPerSecond = 10

/** Different pages in turn, for rows in which no page may be requested twice between two changes. */
const starts = 100

const questions: readonly Question[] = ['nginx', 'web', 'cache', 'api', 'worker', 'mysql', 'index', 'resizer'].flatMap(
  (module) => ['1', '2', '3'].map((sla) => ({ business, module, environment: '3', system: '1', sla })),
)

const infoOf = ({ module, environment, system, sla }: Question) =>
  JSON.stringify({
    condition: [
      {
        bk_obj_id: 'set',
        fields: ['bk_set_name'],
        condition: [{ field: 'bk_set_env', operator: '$eq', value: environment }],
      },
      {
        bk_obj_id: 'module',
        fields: ['bk_module_name'],
        condition: [{ field: 'bk_module_name', operator: '$eq', value: module }],
      },
      {
        bk_obj_id: 'host',
        fields: ['bk_host_innerip', 'bk_host_name'],
        condition: [
          { field: 'bk_os_type', operator: '$eq', value: system },
          { field: 'bk_sla', operator: '$eq', value: sla },
        ],
      },
    ],
  })

/** Saved queries, in alternating turns with equivalent handwritten SQL behind node:http, while hosts change. */
export const customQuery: Row = {
  name: 'custom_query',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    await loadDemo(store, plan.hosts)
    const server = await startMainline(store.flags, profiles)
    const saved = await save(server)
    const task: HostQueryTask = { store: { engine, dataDir: store.dataDir, databaseUrl: store.databaseUrl }, questions }
    const byHand = await startLimit<number>('host-query.ts', task)
    const beside = (pages: number) => {
      const each = (pathOf: (index: number, start: number) => string) =>
        Array.from({ length: pages }, (_, start) => questions.map((_question, index) => pathOf(index, start))).flat()
      const asked = each((index, start) => `${saved[index]}/${start}/20`)
      return compare(
        { name: 'mainline, hosts changing', process: server, run: changing(server, loading(server.port, asked)) },
        {
          name: 'SQL by hand in node:http',
          process: byHand,
          run: loading(
            byHand.ready,
            each((index, start) => `/${index}/${start}`),
          ),
        },
        plan,
      )
    }
    const [first, every] = [await beside(1), await beside(starts)]
    await Promise.all([server.stop(), byHand.stop()])
    store.remove()
    const work = `get_custom_query_data, page of 20, ${plan.hosts.toLocaleString('en')} hosts`
    return [
      { key: 'custom_query', work, engine, atLeast: 0.6, ...first },
      { key: 'custom_query_each', work: `${work}, each time another page`, engine, atLeast: 0.6, ...every },
    ]
  },
}

const send = (method: string, body: unknown): RequestInit => ({ method, body: JSON.stringify(body) })

async function save({ port }: Server): Promise<string[]> {
  const paths: string[] = []
  for (const [index, question] of questions.entries()) {
    const sent = { bk_biz_id: business, name: `question ${index}`, info: infoOf(question) }
    const { body } = await answerOf(port, '/api/v3/userapi', send('POST', sent))
    paths.push(`/api/v3/userapi/data/${business}/${JSON.parse(body).data.id}`)
  }
  return paths
}

function loading(port: number, paths: readonly string[]): Contender['run'] {
  const requests = paths.map(get)
  let count = 0
  const next = () => requests[count++ % requests.length] as string
  return (milliseconds) => load({ port, connections, milliseconds, next, mark: '"result":true' })
}

/** Changes a host at intervals during the measurement. */
function changing({ port }: Server, run: Contender['run']): Contender['run'] {
  let count = 0
  return async (milliseconds) => {
    const timer = setInterval(() => {
      const sent = { bk_host_id: String((count % 100) + 1), bk_comment: `turn ${count++}` }
      void answerOf(port, '/api/v3/hosts/batch', send('PUT', sent))
    }, 1_000 / changesPerSecond)
    try {
      return await run(milliseconds)
    } finally {
      clearInterval(timer)
    }
  }
}
