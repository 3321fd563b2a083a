import { useEffect, useState } from 'react'
import { Empty, Skeleton } from '../kit/Blank.tsx'
import { Button } from '../kit/Button.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { fetchAnew, isMissing } from './missing.ts'

/** A page failed to render or to load: the rest of the console stays usable. */
export function PageFailure({ error }: { error: unknown }) {
  const words = useWords(common)
  const missing = isMissing(error)
  const [hopeful, setHopeful] = useState(missing)
  useEffect(() => {
    if (missing) void fetchAnew().then(setHopeful)
  }, [missing])
  return (
    <main className="page" id="content">
      {hopeful ? (
        <Skeleton lines={10} height={24} />
      ) : (
        <Empty title={missing ? words.missing : words.crashed} page>
          <p>{missing ? words.missingWhy : words.crashedWhy}</p>
          <pre className="mono">{String(error)}</pre>
          <Button onPress={() => location.reload()}>{words.reload}</Button>
        </Empty>
      )}
    </main>
  )
}
