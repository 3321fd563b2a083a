import { join } from 'node:path'
import { freePort } from '../../packages/server/src/testing/servers/postgres.ts'
import { startProgram } from '../child.ts'
import { post } from '../load.ts'
import { lazily, temporaryFolder, unpackFromDebian } from './install.ts'
import { type Adapter, addressOf, type Start } from './product.ts'

const installed = lazily(() => {
  const folder = temporaryFolder()
  unpackFromDebian(folder, 'etcd-server')
  return join(folder, 'usr/bin/etcd')
})

export const start: Start = async () => {
  const command = installed()
  const [port, peers] = [await freePort(), await freePort()]
  const [client, peer] = [port, peers].map((each) => `http://127.0.0.1:${each}`)
  const args = [
    '--data-dir=store',
    '--log-level=error',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]
  const program = { command, args, folder: temporaryFolder(), environment: {} }
  const child = await startProgram(program, { port, path: '/health' })
  return { ...child, address: new URL(`http://127.0.0.1:${port}`) }
}

/** One member, through its JSON gateway, since the load generator speaks HTTP/1.1. It has no filters, no tree and no audit records. */
export const adapt: Adapter = async (address, { sets, modulesPerSet, hostsPerModule }) => {
  const hosts = sets * modulesPerSet * hostsPerModule
  for (let host = 0; host < hosts; host++) {
    const answer = await fetch(new URL('/v3/kv/put', address), { method: 'POST', body: JSON.stringify(put(host)) })
    if (!answer.ok) throw new Error(await answer.text())
    await answer.arrayBuffer()
  }
  let made = hosts
  const detail = put(Math.floor(hosts / 2)).key
  return {
    name: 'etcd',
    port: Number(address.port),
    works: {
      detail: { next: () => post('/v3/kv/range', { key: detail }), mark: '"kvs"' },
      create: { next: () => post('/v3/kv/put', put(made++)), mark: '"header"' },
      update: { next: () => post('/v3/kv/put', { ...put(0), value: base64(`{"cpu":${made++}}`) }), mark: '"header"' },
    },
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

const put = (host: number) => ({
  key: base64(`hosts/${addressOf(host)}`),
  value: base64(JSON.stringify({ os_type: host % 3 === 0 ? '2' : '1', cpu: 8 })),
})
