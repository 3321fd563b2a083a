/** npm forwards a signal that the terminal has already sent to the whole process group: a second one this soon is the same. */
const sameSignalMs = 1_000

/** Calls `first` for the first stop signal, and `again` for a later one while the stop is in progress. */
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
