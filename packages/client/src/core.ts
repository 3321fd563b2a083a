// The client without its methods by area: for programs, such as the console, that must not load every operation.
export { type Asked, newKey } from './asked.ts'
export { type Caller, type ClientOptions, createCaller } from './caller.ts'
export { Failure } from './failure.ts'
