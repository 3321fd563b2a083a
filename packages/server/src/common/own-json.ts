/** JSON written by this program, so that its type is known: a column of its tables, or a message between its processes. */
export const readOwnJson = <T>(text: string): T => JSON.parse(text)
