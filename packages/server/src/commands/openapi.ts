import * as contract from '@mainline/contract'
import { areas, type Endpoint } from '@mainline/contract'
import { openApi } from '../platform/http/docs/openapi.ts'
import { readServerArguments } from './server-arguments.ts'

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'allow' in value && 'path' in value

/**
 * Every operation that the contract declares, in the order of its areas. The document lists exactly what is served; a
 * test compares it with what a running server answers.
 */
export const endpoints: Endpoint[] = Object.values(contract)
  .flatMap((part) => (typeof part === 'object' ? Object.values(part) : []))
  .filter(isEndpoint)
  .toSorted((one, other) => areas.indexOf(one.area) - areas.indexOf(other.area))

export async function openApiCommand(args: string[]): Promise<void> {
  readServerArguments('openapi', args, 0)
  process.stdout.write(`${JSON.stringify(openApi(endpoints), null, 2)}\n`)
}
