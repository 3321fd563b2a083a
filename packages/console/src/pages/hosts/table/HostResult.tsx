import type { ComponentProps } from 'react'
import type { useHostModel } from '../../../api/model.ts'
import type { Attribute } from '../../../forms/attributes.ts'
import { Empty, Skeleton } from '../../../kit/Blank.tsx'
import { Button } from '../../../kit/Button.tsx'
import { useChanged } from '../../../kit/changed.ts'
import { Failure } from '../../../kit/Failure.tsx'
import { Pager } from '../../../kit/Pager.tsx'
import { hosts } from '../../../words/hosts.ts'
import { useWords } from '../../../words/index.ts'
import type { useHosts } from '../browsing.ts'
import { bodyOf, type HostRow } from '../questions.ts'
import type { useColumns } from './ColumnChooser.tsx'
import { HostTable } from './HostTable.tsx'
import { SelectMatching } from './SelectMatching.tsx'

interface HostResultProps
  extends Pick<ComponentProps<typeof HostTable>, 'showBusiness' | 'sort' | 'selected' | 'onSelect'> {
  browsing: ReturnType<typeof useHosts>
  model: ReturnType<typeof useHostModel>
  attributes: readonly Attribute[]
  chosen: ReturnType<typeof useColumns>
  /** Shown if there is no host at all. */
  empty: string
}

const idOf = ({ host }: HostRow) => host.bk_host_id

/** The page of matching hosts, or an empty state. */
export function HostResult(props: HostResultProps) {
  const { browsing, model, attributes, chosen, showBusiness, sort, selected, onSelect, empty } = props
  const { isLost, isNarrowed, found, data, start, pageSize, turn, ahead } = browsing
  const words = useWords(hosts)
  const searched = JSON.stringify(bodyOf(browsing.search))
  const changed = useChanged(`${searched} ${sort} ${start}`, found.isPlaceholderData ? undefined : data?.rows, idOf)
  return isLost ? (
    <Empty title={words.lostList}>
      <p>{words.lostListWhy}</p>
      <Button onPress={browsing.forget}>{words.all}</Button>
    </Empty>
  ) : model.error ? (
    <Failure error={model.error} retry={model.retry} />
  ) : found.error ? (
    <Failure error={found.error} retry={found.refetch} />
  ) : !data || attributes.length === 0 || (data.rows.length === 0 && data.count > 0) ? (
    <Skeleton lines={10} height={24} />
  ) : data.count === 0 ? (
    <Empty title={isNarrowed ? words.noMatch : words.empty}>
      <p>{isNarrowed ? words.noMatchWhy : empty}</p>
    </Empty>
  ) : (
    <>
      {chosen.error && (
        <>
          <p className="quiet">{words.columnsUnknown}</p>
          <Failure error={chosen.error} retry={chosen.retry} />
        </>
      )}
      <SelectMatching
        key={searched}
        search={browsing.search}
        rows={data.rows}
        count={data.count}
        selected={selected}
        onSelect={onSelect}
      />
      <HostTable
        rows={data.rows}
        attributes={attributes}
        columns={chosen.columns}
        showBusiness={showBusiness}
        sort={sort}
        onSort={browsing.sort}
        changed={changed}
        selected={selected}
        onSelect={onSelect}
      />
      {data.count > pageSize && (
        <Pager
          start={start}
          limit={pageSize}
          count={data.count}
          onNear={(next) => void ahead(next)}
          onStart={(next) => {
            // Prefetched before the render; users who page forward usually continue.
            void ahead(next).then(() => ahead(next + next - start))
            turn(next)
          }}
        />
      )}
    </>
  )
}
