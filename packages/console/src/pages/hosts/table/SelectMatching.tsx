import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../kit/Button.tsx'
import { Failure } from '../../../kit/Failure.tsx'
import { Progress } from '../../../kit/Progress.tsx'
import { hosts as hostWords } from '../../../words/hosts.ts'
import { useWords } from '../../../words/index.ts'
import { allHosts, type HostRow, type HostSearch } from '../questions.ts'

/** One undo covers as many records. */
const mostSelected = 20_000

interface SelectMatchingProps {
  search: HostSearch
  rows: readonly HostRow[]
  count: number
  selected: ReadonlyMap<number, HostRow>
  onSelect(selected: ReadonlyMap<number, HostRow>): void
}

/** Once a page is selected, offers to select all matching hosts of all pages. */
export function SelectMatching({ search, rows, count, selected, onSelect }: SelectMatchingProps) {
  const words = useWords(hostWords)
  const [done, setDone] = useState<number | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const running = useRef(0)
  useEffect(() => () => void running.current++, [])
  const isPageSelected = rows.length > 0 && rows.every((row) => selected.has(row.host.bk_host_id))
  const gather = async () => {
    const own = ++running.current
    const found = new Map<number, HostRow>()
    setError(null)
    setDone(0)
    try {
      for await (const page of allHosts({ ...search, fields: [] })) {
        if (running.current !== own) return
        for (const row of page) found.set(row.host.bk_host_id, row)
        setDone(found.size)
      }
      onSelect(found)
    } catch (failure) {
      setError(failure as Error)
    }
    setDone(null)
  }
  if (error) return <Failure error={error} retry={gather} />
  if (done !== null) {
    return (
      <div className="select-matching">
        <Progress label={words.selecting} done={done} of={count} />
        <Button
          onPress={() => {
            running.current++
            setDone(null)
          }}
        >
          {words.stop}
        </Button>
      </div>
    )
  }
  if (!isPageSelected || count <= rows.length || selected.size >= count) return null
  return (
    <p className="select-matching">
      {words.pageSelected(rows.length)}
      <Button because={count > mostSelected ? words.tooMany(mostSelected) : undefined} onPress={gather}>
        {words.selectMatching(count)}
      </Button>
    </p>
  )
}
