import { Link } from '@tanstack/react-router'
import { Refusal } from '../api/call.ts'
import { Empty } from '../kit/Blank.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

/** Whether what was asked about a business was answered by that it is not there. */
export const isMissing = (error: Error | null): boolean => error instanceof Refusal && error.isMissing

export function NoBusiness() {
  const words = useWords(shell)
  return (
    <Empty title={words.noBusiness}>
      <p>{words.noBusinessWhy}</p>
      <p>
        <Link to="/">{words.home}</Link> · <Link to="/archived">{words.archived}</Link>
      </p>
    </Empty>
  )
}
