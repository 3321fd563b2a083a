import { useQuery } from '@tanstack/react-query'
import { Checkbox, Dialog, DialogTrigger, Popover, Button as Pressable } from 'react-aria-components'
import { useChange } from '../../api/ask.ts'
import { type Attribute, grouped } from '../../forms/attributes.ts'
import { Icon } from '../../kit/Icon.tsx'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { ownColumns, saveColumns, usualColumns } from './questions.ts'

/** The columns one has chosen, or else those that everybody begins with. Empty until they are known. */
export function useColumns(): readonly string[] {
  const own = useQuery({ ...ownColumns(), staleTime: 60_000 }).data
  const usual = useQuery({ ...usualColumns(), staleTime: 60_000 }).data
  return own && own.length > 0 ? own : own ? (usual ?? []) : []
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
  const change = useChange(saveColumns)
  const toggle = (id: string, on: boolean) => {
    const chosen = on ? [...columns, id] : columns.filter((each) => each !== id)
    if (chosen.length > 0) change.mutate(chosen)
  }
  return (
    <DialogTrigger>
      <Pressable className="button plain">
        <Icon name="model" />
        {words.columns}
      </Pressable>
      <Popover className="popover columns" placement="bottom end" offset={4}>
        <Dialog aria-label={words.columns} className="options">
          {grouped(attributes).map((group) => (
            <section key={group.name}>
              <h3 className="options-header">{group.name}</h3>
              {group.attributes.map((each) => (
                <Checkbox
                  key={each.bk_property_id}
                  className="check option"
                  isSelected={columns.includes(each.bk_property_id)}
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
