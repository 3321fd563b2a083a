// Export and import of a whole account as JSON lines.
export { importEstate, rehearseEstate } from './read.ts'
export { estateOf } from './write.ts'
