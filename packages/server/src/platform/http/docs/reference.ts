import { areas, type Endpoint, hasBody } from '@mainline/contract'
import { apiRoot } from '../bind.ts'
import { pathOfArea } from './contents.ts'
import { curlOf, typescriptOf } from './examples.ts'
import { type Field, fieldsOf, type Schema, typeOf } from './fields.ts'
import { need } from './need.ts'

const pathOf = ({ path }: Endpoint) => apiRoot + path.replace(/:(\w+)/g, '{$1}')
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
/** A cell of a table: what would end it is written otherwise. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')

/** Every operation on one page, a line each. */
export function overviewPage(endpoints: readonly Endpoint[]): string {
  const list = areas.map((area) => {
    const rows = endpoints
      .filter((endpoint) => endpoint.area === area)
      .map(
        (each) =>
          `| [${each.name}](/docs/${pathOfArea(area)}#${each.name}) | \`${each.method} ${pathOf(each)}\` | ${cell(each.summary)} |`,
      )
    return `## ${area}\n\n| Operation | Where | What it does |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return `# The interface

${endpoints.length} operations over HTTP and JSON, all below \`${apiRoot}\`. These pages are made from the contract that the server checks requests
with, so that what they say and what it does cannot differ. What all operations have in common (envelope, headers, pages, conditions) is in
[automation over HTTP](/docs/guides/use-the-interface); what can go wrong is in [errors](/docs/errors). The same for programs:
[openapi.json](/openapi.json). To try operations out on this server: [the API document](/docs/api/try).

Examples are for the demo estate (\`npm start\`, or \`mainline serve --demo\`); where they name something that it does not have, such as the id of a
query, put yours. In TypeScript they begin with a client:

\`\`\`ts
import { createClient } from '@mainline/client'

const client = createClient({ url: 'http://127.0.0.1:8080' })
\`\`\`

${list.join('\n')}`
}

/** The operations of an area, with all they take and answer. */
export function areaPage(area: string, endpoints: readonly Endpoint[]): string {
  const own = endpoints.filter((endpoint) => endpoint.area === area)
  return `# ${area}\n\n${own.map(operation).join('\n')}`
}

function operation(endpoint: Endpoint): string {
  const { name, method, summary, params, query = {} } = endpoint
  const inPath = Object.entries(params).map(([name, schema]) => asField(name, schema as Schema))
  const inQuery = Object.entries(query).map(([name, meaning]) => ({ name, type: 'text', required: false, meaning }))
  return `## ${name} {#${name}}

${summary.replaceAll('<', '&lt;')}

\`${method} ${pathOf(endpoint)}\`

**Needs** ${need(endpoint)}.

${fieldTable('In the path', inPath, false)}${fieldTable('Behind the question mark', inQuery, false)}${bodyOf(endpoint)}${answerOf(endpoint)}
\`\`\`sh
${curlOf(endpoint)}
\`\`\`

\`\`\`ts
${typescriptOf(endpoint)}
\`\`\`
`
}

const asField = (name: string, schema: Schema): Field => ({
  name,
  type: typeOf(schema),
  required: true,
  meaning: schema.description ?? '',
})

function bodyOf(endpoint: Endpoint): string {
  if (endpoint.takes) return '**Body** the bytes of the file: CSV, XLSX or JSON lines.\n\n'
  if (!hasBody(endpoint)) return ''
  const fields = fieldsOf(endpoint.body as Schema)
  if (fields.length === 0) return `**Body** ${typeOf(endpoint.body as Schema)}.\n\n`
  const more = (endpoint.body as { additionalProperties?: unknown }).additionalProperties === true
  const others = more ? 'Besides these, any attribute that the model has.\n\n' : ''
  return fieldTable('Body', fields, true) + others
}

function answerOf({ data, bare, streams }: Endpoint): string {
  const schema = data as Schema
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
