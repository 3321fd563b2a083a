import type { Endpoint } from '@mainline/contract'
import { endpoints as declared } from '@mainline/contract/endpoints'
import { dialectOf } from '../compat/bk-cmdb.ts'
import { compactJson } from '../docs/openapi/compact-json.ts'
import { inDocumentOrder, openApi } from '../docs/openapi/openapi.ts'
import type { Dialect } from '../http/dialect.ts'
import { readServerArguments } from './serve/server-arguments.ts'

/** In the order of the API document, which lists exactly what is served; a test compares it with what a running server answers. */
export const endpoints: Endpoint[] = inDocumentOrder(declared)

/** The same with the operations that only this dialect has. */
export const endpointsIn = ({ routes }: Dialect): Endpoint[] =>
  inDocumentOrder([...declared, ...routes.map(({ endpoint }) => endpoint)])

export async function openApiCommand(args: string[]): Promise<void> {
  const dialect = dialectOf(readServerArguments('openapi', args, 0).config)
  process.stdout.write(`${compactJson(openApi(endpointsIn(dialect), dialect))}\n`)
}
