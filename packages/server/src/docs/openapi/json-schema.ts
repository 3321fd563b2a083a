/** JSON Schema in the form of the API document. */
export type JsonSchema = { readonly [keyword: string]: unknown }
