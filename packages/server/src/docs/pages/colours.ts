import { asHtml } from './as-html.ts'

/** Syntax highlighting of comments and quoted text only. */
const parts: Record<string, RegExp> = {
  sh: /(?<remark>(?<=^|\s)#[^\n]*)|(?<text>'[^']*'|"(?:[^"\\]|\\.)*")/gm,
  ts: /(?<remark>\/\/[^\n]*)|(?<text>'(?:[^'\\\n]|\\.)*'|`[^`]*`)/g,
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\]|\\.)*")/g,
  yaml: /(?<remark>(?<=^|\s)#[^\n]*)|(?<name>^[\s-]*[\w-]+(?=:))/gm,
  sql: /(?<remark>--[^\n]*)|(?<text>'[^']*')/g,
}
const alike: Record<string, string> = { js: 'ts', java: 'ts', go: 'ts', python: 'sh', ini: 'yaml', nginx: 'yaml' }

/** Source code as HTML with highlighting classes. */
export function coloured(text: string, language: string): string {
  const pattern = parts[alike[language] ?? language]
  if (!pattern) return asHtml(text)
  let html = ''
  let done = 0
  for (const match of text.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? []
    html += `${asHtml(text.slice(done, match.index))}<span class="${kind}">${asHtml(match[0])}</span>`
    done = match.index + match[0].length
  }
  return html + asHtml(text.slice(done))
}
