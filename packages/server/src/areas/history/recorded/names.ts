import type { LogRecord } from '../../../storage/index.ts'
import { contentOf } from './record.ts'

const nameFields =
  /^(bk_(biz|set|module|inst|cloud|obj|property|group|classification|asst|obj_asst)_name|name|group_name)$/

/** The name of what a record is about, as it shows it; of a host its addresses. */
export function nameIn(record: Pick<LogRecord, 'object_id' | 'content' | 'ext_key'>): string {
  if (record.object_id === 'host') return record.ext_key
  const { pre, cur } = contentOf(record)
  const name = Object.entries(cur ?? pre ?? {}).find(([field]) => nameFields.test(field))
  return typeof name?.[1] === 'string' ? name[1] : record.ext_key
}
