/** Somebody waits; anybody may ring. A ring while nobody waits is heard by the next who does. */
export class Bell {
  #rung = false
  #hear: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#hear?.()
  }

  /** Until it rings, or at most so long. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.#hear = resolve
        if (Number.isFinite(milliseconds)) timer = setTimeout(resolve, milliseconds)
      })
      clearTimeout(timer)
      this.#hear = undefined
    }
    this.#rung = false
  }
}
