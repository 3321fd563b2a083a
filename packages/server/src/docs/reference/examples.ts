import type { Endpoint } from '@mainline/contract'
import * as contract from '@mainline/contract'
import { apiRoot } from '../../http/operation/bind.ts'

const server = 'http://127.0.0.1:8080'

/** The URL of an operation's example. */
function exampleAddress({ path, example }: Endpoint): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(example?.params?.[name])))
  const query = new URLSearchParams(example?.query)
  return `${server}${apiRoot}${filled}${query.size > 0 ? `?${query}` : ''}`
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const written = (body: unknown) => {
  const short = JSON.stringify(body)
  return short.length > 90 ? JSON.stringify(body, null, 2) : short
}

/** An operation's example as a curl command. */
export function curlOf(endpoint: Endpoint): string {
  const { method, takes, streams, example } = endpoint
  const address = exampleAddress(endpoint)
  const sends = endpoint.hasBody || takes !== undefined
  const words = [
    streams === 'text/event-stream' ? 'curl -sN' : 'curl -s',
    ...(method === (sends ? 'POST' : 'GET') ? [] : ['-X', method]),
    address.includes('?') || address.includes('&') ? quoted(address) : address,
    ...(takes ? ["-H 'Content-Type: text/csv' --data-binary", `$${quoted(asAnsi(String(example?.body)))}`] : []),
    ...(endpoint.hasBody ? ['--json', quoted(written(example?.body ?? {}))] : []),
  ]
  return words.join(' ')
}

const asAnsi = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** An operation's example as TypeScript, with the `client` created on the overview page. */
export function typescriptOf(endpoint: Endpoint): string {
  const { area, name } = placeOf(endpoint)
  const { params, query, body } = endpoint.example ?? {}
  if (endpoint.streams === 'text/event-stream') {
    return `import { ${area} } from '@mainline/client/contract'\n\nfor await (const event of client.stream(${area}.${name}, { query: { resource: 'set' } })) console.log(event)`
  }
  if (endpoint.takes || endpoint.streams) return fetched(endpoint)
  const asked = { ...(params && { params }), ...(query && { query }), ...(endpoint.hasBody && { body: body ?? {} }) }
  const argument = Object.keys(asked).length === 0 ? '' : literal(asked)
  return `const data = await client.${area}.${name}(${argument})`
}

function fetched(endpoint: Endpoint): string {
  const { method, takes, example } = endpoint
  const request = takes ? { method, headers: { 'content-type': 'text/csv' }, body: example?.body } : undefined
  const argument = request ? `, ${literal(request)}` : ''
  return `const answer = await fetch('${exampleAddress(endpoint)}'${argument})\nconsole.log(await answer.text())`
}

/** An operation's example in Python, with the standard library only. */
export function pythonOf(endpoint: Endpoint): string {
  const { method, takes, streams, bare, example } = endpoint
  const sends = endpoint.hasBody
    ? [
        'headers={"Content-Type": "application/json"}',
        `data=json.dumps(${python(example?.body ?? {}, '    ')}).encode()`,
      ]
    : takes
      ? ['headers={"Content-Type": "text/csv"}', `data=${JSON.stringify(example?.body)}.encode()`]
      : []
  const parts = [JSON.stringify(exampleAddress(endpoint)), `method="${method}"`, ...sends]
  const json = !streams && bare !== 'text/csv'
  const read = json
    ? bare
      ? 'print(json.load(answer))'
      : 'print(json.load(answer)["data"])'
    : 'print(answer.read().decode())'
  const lines = streams === 'text/event-stream' ? 'for line in answer:\n        print(line.decode(), end="")' : read
  const imports = json || endpoint.hasBody ? 'import json\n' : ''
  return `${imports}from urllib.request import Request, urlopen

request = Request(
${parts.map((part) => `    ${part},\n`).join('')})
with urlopen(request) as answer:
    ${lines}`
}

/** A Python literal, on one line if it is short. */
function python(value: unknown, indent: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}    `
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const parts = Array.isArray(value)
    ? value.map((each) => python(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${python(each, inner)}`)
  const line = `${open}${parts.join(', ')}${close}`
  if (parts.length === 0 || (line.length + indent.length <= 90 && !line.includes('\n'))) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

/** The area in which the contract declares an operation, under which the client offers it. */
function placeOf(endpoint: Endpoint): { area: string; name: string } {
  for (const [area, declared] of Object.entries(contract)) {
    const [name] = Object.entries(declared).find(([, each]) => each === endpoint) ?? []
    if (name !== undefined) return { area, name }
  }
  throw new Error(`${endpoint.name} is not declared by the contract`)
}

/** A TypeScript literal, on one line if it is short. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') {
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, inner))
    : Object.entries(value).map(([name, each]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literal(each, inner)}`)
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  if (parts.length === 0) return open + close
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  if (line.length + indent.length <= 90 && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}
