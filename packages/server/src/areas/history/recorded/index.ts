// From a record of the log back to the rows that were stored, before and after it.
export { type KeyedKind, readLive, readLiveRows } from './live.ts'
export { nameIn } from './names.ts'
export { type Content, contentOf, type Recorded, rowChangesOf } from './record.ts'
export { type Columns, nodeKey, nodeOfKey, type RowChange, type RowKind, rowKinds, rowOn } from './rows.ts'
export { integer, isRecord, records, text } from './values.ts'
