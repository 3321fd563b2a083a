import { Link } from '@tanstack/react-router'
import { keyOf } from '../topology/tree.ts'
import type { End } from './questions.ts'

const inTree = ['biz', 'set', 'module']

/** Leads to the page of an instance of any object. What is below a business needs that business to be found. */
export function EndLink({ end, business }: { end: End; business?: number }) {
  const { bk_obj_id: object, bk_inst_id: id, bk_inst_name: name } = end
  const shown = <span className="truncate">{name || id}</span>
  if (object === 'host') {
    return (
      <Link to="/hosts/$host" params={{ host: String(id) }}>
        {shown}
      </Link>
    )
  }
  const root = object === 'biz' ? id : business
  if (root) {
    return (
      <Link to="/topology/$business" params={{ business: String(root) }} search={{ node: keyOf(object, id) }}>
        {shown}
      </Link>
    )
  }
  if (inTree.includes(object)) return shown
  return (
    <Link to="/instances/$object/$instance" params={{ object, instance: String(id) }}>
      {shown}
    </Link>
  )
}
