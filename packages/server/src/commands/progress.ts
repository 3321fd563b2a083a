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
