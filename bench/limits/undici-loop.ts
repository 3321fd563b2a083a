// undici posting the same bodies in concurrent loops: the limit of the HTTP client.
import { once } from 'node:events'
import { createHistogram } from 'node:perf_hooks'
import { Agent, request } from 'undici'
import type { Sample } from '../load.ts'
import type { Push } from './receiver.ts'

export interface PostTask {
  readonly url: string
  readonly loops: number
  readonly pushes: readonly Push[]
}

const [{ url, loops, pushes }] = (await once(process, 'message')) as [PostTask]
process.on('disconnect', () => process.exit())
const dispatcher = new Agent({ connections: loops })

process.on('message', async ({ milliseconds }: { milliseconds: number }) => {
  const times = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  const deadline = performance.now() + milliseconds
  const loop = async () => {
    for (let nth = 0; performance.now() < deadline; nth++) {
      const started = performance.now()
      const { headers, body } = pushes[nth % pushes.length] as Push
      const answer = await request(url, { method: 'POST', headers, body, dispatcher })
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
      await answer.body.text()
      times.record(Math.max(1, Math.round((performance.now() - started) * 1000)))
    }
  }
  await Promise.all(Array.from({ length: loops }, loop))
  process.send?.({ perSecond: times.count / (milliseconds / 1000), p50: times.percentile(50) } satisfies Sample)
})
process.send?.('ready')
