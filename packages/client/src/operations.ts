import * as contract from '@mainline/contract'
import { type DataOf, type Endpoint, isEndpoint } from '@mainline/contract'
import type { Arguments, Asked, Loose } from './asked.ts'

type Contract = typeof contract
type Method<E extends Endpoint> = (...asked: Arguments<Asked<E>>) => Promise<DataOf<E>>
type MethodsOf<Area> = {
  readonly [Name in keyof Area as Area[Name] extends Endpoint ? Name : never]: Area[Name] extends Endpoint
    ? Method<Area[Name]>
    : never
}

/** Every operation of the contract as a method, under the area that declares it. */
export type Operations = {
  readonly [Area in keyof Contract as keyof MethodsOf<Contract[Area]> extends never ? never : Area]: MethodsOf<
    Contract[Area]
  >
}

export function operationsOf(call: (endpoint: Endpoint, asked?: Loose) => Promise<unknown>) {
  const areas = Object.entries(contract).map(([area, declared]) => {
    const endpoints = Object.entries(declared).filter((each): each is [string, Endpoint] => isEndpoint(each[1]))
    return [
      area,
      Object.fromEntries(endpoints.map(([name, each]) => [name, (asked?: Loose) => call(each, asked)])),
    ] as const
  })
  return Object.fromEntries(areas.filter(([, methods]) => Object.keys(methods).length > 0))
}
