import type { Endpoint } from '@mainline/contract'
import * as contract from '@mainline/contract'
import { dialectOf } from '../platform/http/compat.ts'
import { inDocumentOrder, openApi } from '../platform/http/docs/openapi.ts'
import { readServerArguments } from './server-arguments.ts'

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'allow' in value && 'path' in value

/**
 * Every operation that the contract declares, in the order of the API document. The document lists exactly what is served; a
 * test compares it with what a running server answers.
 */
export const endpoints: Endpoint[] = inDocumentOrder(
  Object.values(contract)
    .flatMap((part) => (typeof part === 'object' ? Object.values(part) : []))
    .filter(isEndpoint),
)

export async function openApiCommand(args: string[]): Promise<void> {
  const dialect = dialectOf(readServerArguments('openapi', args, 0).config)
  process.stdout.write(`${JSON.stringify(openApi(endpoints, dialect), null, 2)}\n`)
}
