import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { useWords } from '../../words/index.ts'
import { overview } from '../../words/overview.ts'
import { Changes } from '../audit/Changes.tsx'
import { findChanges } from '../audit/questions.ts'

const latest = 8

export function LatestChanges() {
  const words = useWords(overview)
  const [open, setOpen] = useState<string>()
  const found = useQuery(findChanges({}, 0, latest))
  return (
    <section className="latest">
      <header>
        <h2>{words.latest}</h2>
        <Link to="/audit">{words.allChanges}</Link>
      </header>
      {found.error ? (
        <Failure error={found.error} retry={found.refetch} />
      ) : !found.data ? (
        <Skeleton lines={latest} height={24} />
      ) : found.data.count === 0 ? (
        <p className="quiet">{words.quiet}</p>
      ) : (
        <Changes list="latest" changes={found.data.changes} open={open} onOpen={setOpen} />
      )}
    </section>
  )
}
