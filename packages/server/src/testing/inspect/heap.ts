/** The environment of a server whose heap can be measured. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** Heap of the server's main thread in megabytes, after a garbage collection. */
export async function heapAt(inspector: string): Promise<number> {
  const socket = new WebSocket(inspector)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  const ask = (id: number, method: string) =>
    new Promise<Record<string, number>>((resolve) => {
      const listen = ({ data }: MessageEvent) => {
        const answer = JSON.parse(String(data))
        if (answer.id !== id) return
        socket.removeEventListener('message', listen)
        resolve(answer.result)
      }
      socket.addEventListener('message', listen)
      socket.send(JSON.stringify({ id, method }))
    })
  try {
    await ask(1, 'HeapProfiler.collectGarbage')
    const { usedSize = 0, backingStorageSize = 0 } = await ask(2, 'Runtime.getHeapUsage')
    return (usedSize + backingStorageSize) / 1e6
  } finally {
    socket.close()
  }
}
