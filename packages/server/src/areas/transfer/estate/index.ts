// The whole of an account as JSON lines, out and in.
export { takeEstate, tryEstate } from './read.ts'
export { estateOf } from './write.ts'
