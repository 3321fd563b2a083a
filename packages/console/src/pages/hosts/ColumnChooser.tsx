import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Checkbox, Dialog, DialogTrigger, Popover, Button as Pressable } from 'react-aria-components'
import { useChange } from '../../api/ask.ts'
import { type Attribute, grouped } from '../../forms/attributes.ts'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { address, ownColumns, saveColumns, usualColumns } from './questions.ts'

/** The columns one has chosen, or else those that everybody begins with. Empty until they are known. */
export function useColumns(): readonly string[] {
  const own = useQuery({ ...ownColumns(), staleTime: 60_000 }).data
  const usual = useQuery({ ...usualColumns(), staleTime: 60_000 }).data
  const chosen = own && own.length > 0 ? own : own && usual
  return useMemo(() => (chosen ? (chosen.includes(address) ? chosen : [address, ...chosen]) : []), [chosen])
}

/** Chosen per user, and kept by the server: they follow to the next machine. */
export function ColumnChooser({
  attributes,
  columns,
}: {
  attributes: readonly Attribute[]
  columns: readonly string[]
}) {
  const words = useWords(hosts)
  const change = useChange(saveColumns, 'columns')
  // Whoever ticks several does not wait for each to be kept.
  const ticked = change.isPending ? change.variables : columns
  const toggle = (id: string, on: boolean) => change.mutate(on ? [...ticked, id] : ticked.filter((each) => each !== id))
  return (
    <DialogTrigger>
      <Pressable className="button plain" isDisabled={columns.length === 0}>
        <Icon name="model" />
        {words.columns}
      </Pressable>
      <Popover className="popover columns" placement="bottom end" offset={4}>
        <Dialog aria-label={words.columns} className="options">
          {change.error && <Failure error={change.error} />}
          {grouped(attributes).map((group) => (
            <section key={group.name}>
              <h3 className="options-header">{group.name}</h3>
              {group.attributes.map((each) => (
                <Checkbox
                  key={each.bk_property_id}
                  className="check option"
                  isSelected={ticked.includes(each.bk_property_id)}
                  isDisabled={each.bk_property_id === address}
                  onChange={(on) => toggle(each.bk_property_id, on)}
                >
                  <span className="box">
                    <Icon name="check" size={12} />
                  </span>
                  {each.bk_property_name}
                </Checkbox>
              ))}
            </section>
          ))}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
