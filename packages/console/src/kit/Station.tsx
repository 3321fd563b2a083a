/** The sign of a thing on the main line: every page draws a business, a level, a set, a module and a host the same way. */
export function Station({ object, size = 10 }: { object: string; size?: number }) {
  return (
    <svg className={`station ${kindOf(object)}`} width={size} height={size} viewBox="0 0 10 10" aria-hidden="true">
      {shapes[kindOf(object)]}
    </svg>
  )
}

export type Kind = 'biz' | 'level' | 'set' | 'module' | 'host'

export const kindOf = (object: string): Kind =>
  object === 'biz' || object === 'set' || object === 'module' || object === 'host' ? object : 'level'

const shapes: Record<Kind, React.ReactNode> = {
  biz: <circle cx="5" cy="5" r="4.25" className="full bare" />,
  level: <circle cx="5" cy="5" r="3.75" />,
  set: <rect x="1.25" y="1.25" width="7.5" height="7.5" rx="2" />,
  module: <rect x="1.5" y="1.5" width="7" height="7" rx="1.5" className="full" />,
  host: <path d="M1 3h8v4H1z" />,
}
