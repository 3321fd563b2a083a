import { expect, it } from 'vitest'
import { forgetPast, readHead, stages } from '../../packages/server/src/areas/history/past/index.ts'
import { uniqueId } from '../../packages/server/src/common/unique-id.ts'
import { readerOver, writerOver } from '../../packages/server/src/storage/handles.ts'
import { openEngine } from '../../packages/server/src/storage/index.ts'
import { removeOldest } from '../../packages/server/src/storage/log/retention.ts'
import { sealNext } from '../../packages/server/src/storage/log/seals.ts'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { configOf, makeStore, openedStores } from '../../packages/server/src/testing/harness.ts'
import { runCommand, type ServerProcess, spawnServer } from '../../packages/server/src/testing/process.ts'

const day = 86_400_000
const hosts = 1_500

/** What the process is doing when it is killed. */
const works = isFull ? (['copying', 'reading back', 'trimming'] as const) : (['copying'] as const)

it('two processes on one PostgreSQL: the one that derives the past is killed in the middle, and the other one ends it', async () => {
  const store = await makeStore('postgres', openedStores())
  const engine = await openEngine(configOf(store))
  const reader = readerOver(engine.reads, engine)
  const spawn = () => spawnServer(store, ['--connections=4'])
  const past = async () => {
    const [head, accounts] = await Promise.all([
      readHead(reader),
      reader.selectFrom('past_account').selectAll().execute(),
    ])
    const isCopying = accounts.some(({ stage }) => stage > stages.small && stage < stages.complete)
    const isReading = accounts.some(({ stage, reading_below: below }) => stage === stages.complete && below > 0)
    const isBehind = head.position < head.logPosition || accounts.length === 0
    const isTrimming = head.trimmed < head.floor - 1
    return { copying: isCopying, 'reading back': isReading, trimming: isTrimming, behind: isBehind }
  }
  const done = { copying: false, 'reading back': false, trimming: false, behind: false }
  const finished = () => expect.poll(past, { timeout: 90_000 }).toEqual(done)

  let owner = await spawn()
  const business = await makeHosts(owner)
  await finished()
  for (const work of works) {
    const other = await spawn()
    // It must not begin the work before the first one does.
    other.child.kill('SIGSTOP')
    if (work === 'trimming') {
      await sealNext(engine, Date.now(), true)
      await removeOldest(engine, Date.now() + day)
    } else await engine.transact(uniqueId(), (connection) => forgetPast(writerOver(connection, engine)))
    await rename(owner, business, `before ${work}`)
    await expect.poll(async () => (await past())[work], { interval: 2 }).toBe(true)
    const gone = owner.end('SIGKILL')
    other.child.kill('SIGCONT')
    await gone
    // Changes go on, and wake the other one.
    for (let turn = 0; turn < 20; turn++) await rename(other, business, `${work} ${turn}`)
    await finished()
    owner = other
  }
  await owner.end('SIGTERM')
  await engine.close()
  const verified = await runCommand(['verify', '--state', ...store.flags])
  expect(verified.output).toContain('The past agrees')
  expect(verified.code).toBe(0)
  store.remove()
}, 240_000)

/** A business with hosts, so that copying them takes several transactions. */
async function makeHosts(server: ServerProcess): Promise<number> {
  const made = await server.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'shop' })
  const business = made.data.bk_biz_id
  const host_info = Object.fromEntries(
    Array.from({ length: hosts }, (_, index) => [index, { bk_host_innerip: `10.1.${index >> 8}.${index & 255}` }]),
  )
  const added = await server.call('POST', '/hosts/add', { bk_biz_id: business, host_info })
  expect(added.bk_error_msg).toBe('')
  return business
}

const rename = (server: ServerProcess, business: number, bk_biz_name: string) =>
  server.call('PUT', `/biz/0/${business}`, { bk_biz_name })
