import { Empty } from '../kit/Blank.tsx'
import { Button } from '../kit/Button.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'

/** A page has thrown while being drawn: the rest of the console goes on. */
export function PageFailure({ error }: { error: unknown }) {
  const words = useWords(common)
  return (
    <main className="page" id="content">
      <Empty title={words.crashed} page>
        <p>{words.crashedWhy}</p>
        <pre className="mono">{String(error)}</pre>
        <Button onPress={() => location.reload()}>{words.reload}</Button>
      </Empty>
    </main>
  )
}
