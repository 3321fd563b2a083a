// The whole of an account as JSON lines, out and in.
export { readLines } from './lines.ts'
export { takeEstate } from './read.ts'
export { estateOf } from './write.ts'
