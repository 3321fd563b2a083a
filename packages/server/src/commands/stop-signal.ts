/** npm passes on a signal that the terminal has sent to the whole process group already: what follows so soon is the same one. */
const sameSignalMs = 1_000

/** Calls `first` for the first signal to stop, and `again` for one that is sent later, while the stop is in progress. */
export function stopHandler<Options extends unknown[]>(
  first: (...options: Options) => void,
  again: () => void,
): (...options: Options) => void {
  let stoppingSince: number | undefined
  return (...options) => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now()
      first(...options)
    } else if (performance.now() - stoppingSince > sameSignalMs) again()
  }
}
