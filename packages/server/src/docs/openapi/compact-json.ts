const maxColumns = 160

/** JSON in which short values take one line: compact, and diffable line by line. */
export function compactJson(value: unknown, indent = '', before = 0): string {
  const line = oneLine(value)
  if (indent.length + before + line.length < maxColumns) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => inner + compactJson(each, inner)).join(',\n')}\n${indent}]`
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, each]) => each !== undefined)
    const written = members.map(([key, each]) => {
      const name = `${JSON.stringify(key)}: `
      return inner + name + compactJson(each, inner, name.length)
    })
    return `{\n${written.join(',\n')}\n${indent}}`
  }
  return line
}

/** As `JSON.stringify`, with blanks inside of braces. */
function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  if (members.length === 0) return '{}'
  return `{ ${members.map(([key, each]) => `${JSON.stringify(key)}: ${oneLine(each)}`).join(', ')} }`
}
