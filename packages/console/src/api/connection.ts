import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

const longestPauseMs = 10_000
const probeTimeoutMs = 5_000

let isProbing = false

/** While the server is unreachable, queries wait, and then continue by themselves. The browser only knows about its own network. */
export function watchConnection(): void {
  const check = () => void checkConnection()
  onlineManager.setEventListener(() => {
    addEventListener('online', check)
    addEventListener('offline', check)
    return () => {
      removeEventListener('online', check)
      removeEventListener('offline', check)
    }
  })
}

/** To be called after a request without an answer: finds out whether the server is unreachable, and waits until it is back. */
export async function checkConnection(): Promise<void> {
  if (isProbing) return
  isProbing = true
  for (let pauseMs = 500; !(await isReachable()); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    onlineManager.setOnline(false)
    await pauseOrOnline(pauseMs)
  }
  isProbing = false
  onlineManager.setOnline(true)
}

/** An error of a proxy is no answer of the server. */
const isReachable = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(probeTimeoutMs) }).then(
    ({ ok }) => ok,
    () => false,
  )

const pauseOrOnline = (pauseMs: number) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, pauseMs)
    addEventListener('online', done)
  })

export const useIsReachable = (): boolean =>
  useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  )
