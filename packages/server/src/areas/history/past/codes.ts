// Ids of nodes in the tables of the past. Internal ids of rows are not in the log; these are derived from public ids, in the same order.

const lastDigits: Readonly<Record<string, number>> = { biz: 0, set: 1, module: 2 }
/** Objects whose instances are numbered together: levels, cloud areas, and those beside the main line. */
const otherDigit = 3

/** Unique within an account: each kind of node has a sequence of its own. */
export const nodeCode = (object: string, id: number): number => id * 4 + (lastDigits[object] ?? otherDigit)

/** The same in SQL, from columns with the object and the public id. */
export const nodeCodeSql = (object: string, id: string): string =>
  `(${id} * 4 + CASE ${object} WHEN 'biz' THEN 0 WHEN 'set' THEN 1 WHEN 'module' THEN 2 ELSE ${otherDigit} END)`
