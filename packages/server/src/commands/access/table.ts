import { present } from '../../common/present.ts'

/** Aligned columns of text. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows]
  const width = (column: number) => Math.max(...lines.map((line) => present(line[column]).length))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
