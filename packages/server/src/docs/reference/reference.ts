import { areas, type Endpoint, succeeded } from '@mainline/contract'
import { asDocumented, type Dialect } from '../../http/dialect.ts'
import { apiRoot } from '../../http/operation/bind.ts'
import { pathOfArea } from '../contents.ts'
import { inDocumentOrder } from '../openapi/openapi.ts'
import { answerOf } from './answers.ts'
import { curlOf, pythonOf, typescriptOf } from './examples.ts'
import { type Field, fieldsOf, type Schema, typeOf } from './fields.ts'
import { need } from './need.ts'
import { refusalsOf } from './refusals.ts'
import { remedies } from './remedies.ts'

const referencePath = ({ path }: Endpoint) => apiRoot + path.replace(/:(\w+)/g, '{$1}')
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
/** Escapes a table cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')

/** All operations on one page, a line each. */
export function overviewPage(endpoints: readonly Endpoint[]): string {
  const list = areas.map((area) => {
    const rows = endpoints
      .filter((endpoint) => endpoint.area === area)
      .map(
        (each) =>
          `| [${each.name}](/docs/${pathOfArea(area)}#${each.name}) | \`${each.method} ${referencePath(each)}\` | ${cell(each.summary)} |`,
      )
    return `## ${area}\n\n| Operation | Where | What it does |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return `# The interface

${endpoints.length} operations over HTTP and JSON, all below \`${apiRoot}\`. These pages are made from the contract that the server checks requests
with, so that what they say and what it does cannot differ. What all operations have in common (envelope, headers, pages, conditions) is in
[automation over HTTP](/docs/guides/use-the-interface); what can go wrong is in [errors](/docs/errors). The same for programs:
[openapi.json](/openapi.json). To try operations out on this server: [the API document](/docs/api/try).

Examples are for a fresh demo estate (\`npm start\`, or \`mainline serve --demo\`) and work when they are sent in the order of these pages; on an estate of
your own, put your ids. Example answers are what that estate answers, with long lists cut. Python needs nothing but its standard library; \`urlopen\`
raises an \`HTTPError\` for a refusal. In TypeScript the examples begin with a client:

\`\`\`ts
import { createClient } from '@mainline/client'

const client = createClient({ url: 'http://127.0.0.1:8080' })
\`\`\`

${list.join('\n')}`
}

/** The operations of an area with their parameters and answers. */
export function areaPage(area: string, endpoints: readonly Endpoint[], dialect: Dialect = asDocumented): string {
  const own = inDocumentOrder(endpoints).filter((endpoint) => endpoint.area === area)
  return `# ${area}\n\n${own.map((endpoint) => operation(endpoint, dialect)).join('\n')}`
}

function operation(endpoint: Endpoint, dialect: Dialect): string {
  const { name, method, summary, params, query = {} } = endpoint
  const inPath = Object.entries(params).map(([name, schema]) => asField(name, schema))
  const inQuery = Object.entries(query).map(([name, meaning]) => ({ name, type: 'text', required: false, meaning }))
  return `## ${name} {#${name}}

${summary.replaceAll('<', '&lt;')}

\`${method} ${referencePath(endpoint)}\`

**Needs** ${need(endpoint)}.

${fieldTable('In the path', inPath, false)}${fieldTable('Behind the question mark', inQuery, false)}${bodyOf(endpoint, dialect)}${answerTable(endpoint, dialect)}
**Request**

\`\`\`sh
${curlOf(endpoint)}
\`\`\`

\`\`\`ts
${typescriptOf(endpoint)}
\`\`\`

\`\`\`python
${pythonOf(endpoint)}
\`\`\`

**Example answer**

${exampleAnswer(endpoint, dialect)}

**Refusals**

${refusalTable(endpoint, dialect)}
`
}

function exampleAnswer(endpoint: Endpoint, dialect: Dialect): string {
  const answer = answerOf(endpoint, dialect)
  if (typeof answer === 'string' && (endpoint.streams || endpoint.bare))
    return `\`\`\`text\n${answer.trimEnd()}\n\`\`\``
  const whole = endpoint.bare ? answer : succeeded(answer, dialect.success)
  return `\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\``
}

function refusalTable(endpoint: Endpoint, dialect: Dialect): string {
  const rows = refusalsOf(endpoint, dialect).map(({ kind, code, status }) => {
    const sent = dialect.name === 'bk-cmdb' ? 200 : status
    return `| [${code}](/docs/errors#${code}) | ${sent} | ${kind} | ${cell(remedies[kind][0])} |`
  })
  return `| Code | HTTP | Kind | When |\n|---|---|---|---|\n${rows.join('\n')}`
}

const asField = (name: string, schema: Schema): Field => ({
  name,
  type: typeOf(schema),
  required: true,
  meaning: schema.description ?? '',
})

function bodyOf(endpoint: Endpoint, dialect: Dialect): string {
  if (endpoint.takes) return '**Body** the bytes of the file: CSV, XLSX or JSON lines.\n\n'
  if (!endpoint.hasBody) return ''
  const body: Schema = dialect.overrideOf(endpoint)?.sends ?? endpoint.body
  const fields = fieldsOf(body)
  if (fields.length === 0) return `**Body** ${typeOf(body)}.\n\n`
  const more = body.additionalProperties === true
  const others = more ? 'Besides these, any attribute that the model has.\n\n' : ''
  return fieldTable('Body', fields, true) + others
}

function answerTable(endpoint: Endpoint, dialect: Dialect): string {
  const { bare, streams } = endpoint
  const schema: Schema = dialect.overrideOf(endpoint)?.data ?? endpoint.data
  const how = streams
    ? `a stream of \`${streams}\``
    : bare
      ? `\`${bare}\`, without the envelope`
      : '`data` of the envelope'
  const fields = fieldsOf(schema)
  if (fields.length === 0) return `**Answer** ${how}: ${typeOf(schema)}.\n`
  return `**Answer** ${how}: ${typeOf(schema)}.\n\n${fieldTable('', fields, false)}`
}

function fieldTable(title: string, fields: readonly Field[], tellRequired: boolean): string {
  if (fields.length === 0) return ''
  const rows = fields.map(({ name, type, required, meaning }) => {
    const must = tellRequired ? ` ${required ? 'yes' : ''} |` : ''
    return `| \`${name}\` | ${cell(type)} |${must} ${cell(meaning)} |`
  })
  const head = tellRequired
    ? '| Field | Type | Required | Meaning |\n|---|---|---|---|'
    : '| Field | Type | Meaning |\n|---|---|---|'
  return `${title ? `**${sentence(title)}**\n\n` : ''}${head}\n${rows.join('\n')}\n\n`
}
