// Several processes of bare-http.ts on one port, like Mainline's workers: the capacity that the cores leave for a second process.
import cluster, { type Address } from 'node:cluster'
import { once } from 'node:events'
import type { BareTask } from './bare-fastify.ts'

export interface ClusterTask extends BareTask {
  readonly processes: number
}

if (cluster.isPrimary) {
  const [task] = (await once(process, 'message')) as [ClusterTask]
  process.on('disconnect', () => process.exit())
  const workers = Array.from({ length: task.processes }, () => cluster.fork())
  const listening = await Promise.all(
    workers.map(async (worker) => {
      await once(worker, 'online')
      worker.send(task)
      return (await once(worker, 'listening')) as [Address]
    }),
  )
  process.send?.(listening[0]?.[0].port)
} else await import('./bare-http.ts')
