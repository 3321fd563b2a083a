import { Link } from '@tanstack/react-router'
import { Empty } from '../kit/Blank.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

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
