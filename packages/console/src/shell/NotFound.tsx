import { Link } from '@tanstack/react-router'
import { Empty } from '../kit/Blank.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

export function NotFound() {
  const words = useWords(shell)
  return (
    <main className="page" id="content">
      <Empty title={words.notFound} page>
        <p>{words.notFoundWhy}</p>
        <Link to="/">{words.home}</Link>
      </Empty>
    </main>
  )
}
