import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { reasonIn } from '../../../api/failures.ts'
import { type Attribute, toWords } from '../../../forms/attributes.ts'
import { Button } from '../../../kit/Button.tsx'
import { tell } from '../../../kit/Toasts.tsx'
import { common } from '../../../words/common.ts'
import { hosts } from '../../../words/hosts.ts'
import { useWords } from '../../../words/index.ts'
import { saveFile, toCsv } from '../csv.ts'
import { allHosts, type HostRow, type HostSearch, placeOf } from '../questions.ts'

interface ExportButtonProps {
  search: HostSearch
  attributes: readonly Attribute[]
  columns: readonly string[]
  count: number
}

/** Exports all matching hosts, not only the current page, with the visible columns. */
export function ExportButton({ search, attributes, columns, count }: ExportButtonProps) {
  const words = useWords(hosts)
  const general = useWords(common)
  const [done, setDone] = useState(0)
  const shown = columns
    .map((id) => attributes.find((each) => each.bk_property_id === id))
    .filter((each) => each !== undefined)
  const lineOf = (row: HostRow) => [
    ...shown.map((each) => toWords({ ...each, unit: '' }, row.host[each.bk_property_id], general)),
    row.module.map((each) => [row.biz[0]?.bk_biz_name, placeOf(each)].filter(Boolean).join(' / ')).join('; '),
  ]
  const exporting = useMutation({
    mutationFn: async () => {
      const lines = [[...shown.map((each) => each.bk_property_name), words.where]]
      for await (const rows of allHosts(search)) {
        lines.push(...rows.map(lineOf))
        setDone(lines.length - 1)
      }
      saveFile('hosts.csv', toCsv(lines), 'text/csv')
      return lines.length - 1
    },
    onSuccess: (exported) => tell(words.exported(exported)),
    onError: (error) => tell(reasonIn(error) ?? general.unreachable),
  })
  return (
    <Button
      icon="external"
      busy={exporting.isPending}
      because={count === 0 ? words.empty : undefined}
      onPress={() => exporting.mutate()}
    >
      {exporting.isPending ? words.progress(done, count) : words.export}
    </Button>
  )
}
