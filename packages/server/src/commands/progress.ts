export type Progress = (done: number, of: number) => void

/** A bar where a person watches, nothing where output is kept. */
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

/** How much there is so far, where nobody knows how much there will be. */
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

/** Where output is kept, a line at most so often, in milliseconds. */
const linePause = 5_000

/** Work in several phases: a bar for each where a person watches; elsewhere a line now and then, so that a log shows it is alive. */
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
    if (performance.now() - last < linePause) return
    last = performance.now()
    stream.write(`${title}: ${done.toLocaleString('en')} of ${of.toLocaleString('en')} rows\n`)
  }
}
