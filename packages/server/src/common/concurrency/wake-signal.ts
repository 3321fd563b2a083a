/** Wakes a waiting loop. A wake-up without a waiter is kept for the next `wait`. */
export class WakeSignal {
  #isPending = false
  #resolve: (() => void) | undefined

  wake(): void {
    this.#isPending = true
    this.#resolve?.()
  }

  /** Waits for a wake-up, at most until the timeout. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isPending) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.#resolve = resolve
        if (Number.isFinite(timeoutMs)) timer = setTimeout(resolve, timeoutMs)
      })
      clearTimeout(timer)
      this.#resolve = undefined
    }
    this.#isPending = false
  }
}
