import type { ReactNode } from 'react'

export type Kind = 'biz' | 'level' | 'set' | 'module' | 'host' | 'other'

/** Every user-defined object on the main line is a level. */
export const kindOf = (object: string): Kind =>
  object === 'biz' || object === 'set' || object === 'module' || object === 'host' ? object : 'level'

interface StationProps {
  object: string
  /** For objects beside the main line. */
  kind?: Kind
  size?: number
}

/** The icon of an object: the same for businesses, levels, sets, modules and hosts on every page. */
export function Station({ object, kind = kindOf(object), size = 10 }: StationProps) {
  return (
    <svg className={`station ${kind}`} width={size} height={size} viewBox="0 0 10 10" aria-hidden="true">
      {shapes[kind]}
    </svg>
  )
}

const shapes: Record<Kind, ReactNode> = {
  biz: <circle cx="5" cy="5" r="4.25" className="full bare" />,
  level: <circle cx="5" cy="5" r="3.75" />,
  set: <rect x="1.25" y="1.25" width="7.5" height="7.5" rx="2" />,
  module: <rect x="1.5" y="1.5" width="7" height="7" rx="1.5" className="full" />,
  host: <path d="M1 2.5h8v5H1z" />,
  other: <path d="M5 1.2 8.8 5 5 8.8 1.2 5z" />,
}
