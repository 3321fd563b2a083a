import {
  audit,
  businesses,
  callbacks,
  type Endpoint,
  feed,
  instances,
  model,
  modules,
  sets,
  subscriptions,
  topology,
} from '@mainline/contract'
import { openApi } from '../platform/http/openapi.ts'

/** The document lists exactly what is served; a test compares it with what a running server answers. */
export const endpoints: Endpoint[] = [
  businesses,
  topology,
  sets,
  modules,
  instances,
  model,
  audit,
  subscriptions,
  callbacks,
  feed,
].flatMap((area) => Object.values(area).filter((value): value is Endpoint => 'allow' in value))

export async function openApiCommand(): Promise<void> {
  process.stdout.write(`${JSON.stringify(openApi(endpoints), null, 2)}\n`)
}
