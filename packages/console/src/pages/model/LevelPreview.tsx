import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { findBusinesses } from '../../api/businesses.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Station } from '../../kit/Station.tsx'
import { usePreferences } from '../../preferences.ts'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { treeOf } from '../topology/questions.ts'
import { type LevelChange, type PreviewLine, previewOf } from './level-preview.ts'

interface LevelPreviewProps {
  /** The object below the level. */
  below: string
  change: LevelChange
}

/** The current business, or else the first one, as an example of what happens in all of them. */
function useExample() {
  const { business } = usePreferences()
  const first = useQuery({ ...findBusinesses(''), enabled: business === null }).data?.businesses[0]?.bk_biz_id
  const example = business ?? first
  return useQuery({ ...treeOf(example ?? 0), enabled: example !== undefined })
}

/** The tree of one business before and after the change. */
export function LevelPreview({ below, change }: LevelPreviewProps) {
  const words = useWords(model)
  const { data, isLoading } = useExample()
  const asText = JSON.stringify(change)
  const preview = useMemo(() => data && previewOf(data.root, below, JSON.parse(asText)), [data, below, asText])
  if (isLoading) return <Skeleton lines={6} />
  if (!data || !preview) return null
  return (
    <section aria-label={words.example(data.root.name)}>
      <p className="quiet">{words.example(data.root.name)}</p>
      <div className="level-preview">
        {(['before', 'after'] as const).map((side) => (
          <Side key={side} title={words[side]} lines={preview[side]} />
        ))}
      </div>
    </section>
  )
}

const indent = 16

function Side({ title, lines }: { title: string; lines: readonly PreviewLine[] }) {
  const words = useWords(model)
  return (
    <div>
      <h3>{title}</h3>
      <ul aria-label={title}>
        {lines.map(({ key, depth, name, object, mark, more }) => (
          <li key={key} className={more > 0 ? '' : mark} style={{ paddingInlineStart: depth * indent }}>
            {more > 0 ? (
              <span className="quiet">{words.moreNodes(more)}</span>
            ) : (
              <>
                <Station object={object} />
                <span className="truncate">{name}</span>
                {mark !== 'kept' && <span className="tag">{words.marks[mark]}</span>}
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
