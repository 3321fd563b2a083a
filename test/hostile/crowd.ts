// Connections that are opened and stay silent.
import { connect, type Socket } from 'node:net'

interface Crowd {
  /** How many were opened: the system may allow fewer. */
  readonly size: number
  leave(): void
}

const atOnce = 250

export async function crowd(url: string, size: number): Promise<Crowd> {
  const sockets: Socket[] = []
  for (let first = 0; first < size; first += atOnce) {
    const opened = await Promise.all(Array.from({ length: Math.min(atOnce, size - first) }, () => open(url)))
    sockets.push(...opened.filter((socket) => socket !== undefined))
  }
  return { size: sockets.length, leave: () => sockets.forEach((socket) => void socket.destroy()) }
}

function open(url: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.on('error', () => resolve(undefined))
  })
}
