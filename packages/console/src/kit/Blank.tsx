import type { ReactNode } from 'react'
import { PageTitle } from './PageTitle.tsx'

interface EmptyProps {
  title: string
  children?: ReactNode
  /** It is the only content of the page. */
  page?: boolean
}

/** An empty state, with the next step. */
export const Empty = ({ title, children, page = false }: EmptyProps) => (
  <div className="empty">
    <svg width="72" height="40" viewBox="0 0 72 40" aria-hidden="true">
      <path d="M4 8h40a12 12 0 0 1 12 12v12" />
      <circle cx="8" cy="8" r="4" />
      <circle cx="30" cy="8" r="4" />
      <circle cx="56" cy="32" r="4" />
    </svg>
    {page ? <PageTitle text={title} /> : <h2>{title}</h2>}
    {children}
  </div>
)

/** Placeholder lines while loading, so that the layout is stable. */
export const Skeleton = ({ lines, height = 20 }: { lines: number; height?: number }) => (
  <div className="skeleton" aria-hidden="true">
    {Array.from({ length: lines }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
      <span key={line} style={{ height, width: `${55 + ((line * 37) % 40)}%` }} />
    ))}
  </div>
)
