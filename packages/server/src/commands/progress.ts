export type Progress = (done: number, of: number) => void

/** A progress bar on a terminal; nothing elsewhere. */
export function progressBar(title: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return () => {}
  const width = 30
  let shown = ''
  return (done, of) => {
    const share = of === 0 ? 1 : done / of
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    const line = `\r${title}  ${bar}  ${done.toLocaleString('en')} of ${of.toLocaleString('en')}`
    if (line !== shown) stream.write(line)
    shown = line
    if (done >= of) stream.write('\n')
  }
}

/** The amount so far; the total may be unknown. */
export function amount(
  title: string,
  stream: NodeJS.WriteStream = process.stderr,
): (bytes: number, last?: true) => void {
  let shown = ''
  return (bytes, last) => {
    if (!stream.isTTY) return
    const line = `\r${title}  ${(bytes / 1_048_576).toFixed(1)} MiB`
    if (line !== shown) stream.write(line)
    shown = line
    if (last) stream.write('\n')
  }
}

/** The interval between progress lines when the output is not a terminal. */
const linePauseMs = 5_000

/** Progress of work in several phases: a bar for each on a terminal, elsewhere a line at intervals. */
export function progressOfPhases(stream: NodeJS.WriteStream = process.stderr) {
  let phase = ''
  let show: Progress = () => {}
  return (what: string, done: number, of: number): void => {
    if (what !== phase) show = stream.isTTY ? progressBar(what.padEnd(9), stream) : progressLines(what, stream)
    phase = what
    show(done, of)
  }
}

function progressLines(title: string, stream: NodeJS.WritableStream): Progress {
  let last = performance.now()
  return (done, of) => {
    if (performance.now() - last < linePauseMs) return
    last = performance.now()
    stream.write(`${title}: ${done.toLocaleString('en')} of ${of.toLocaleString('en')} rows\n`)
  }
}
