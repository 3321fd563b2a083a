import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Checkbox, Dialog, DialogTrigger, Popover, Button as Pressable } from 'react-aria-components'
import { useChange } from '../../api/ask.ts'
import { type Attribute, grouped } from '../../forms/attributes.ts'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { address, ownColumns, saveColumns, usualColumns } from './questions.ts'

export interface Columns {
  /** Empty while loading. */
  readonly columns: readonly string[]
  /** Why the saved columns could not be loaded; the defaults are shown then. */
  readonly error: Error | null
  retry(): void
}

const none: readonly string[] = []

/** The user's columns, or the default columns, or the address alone. */
export function useColumns(): Columns {
  const own = useQuery({ ...ownColumns(), staleTime: 60_000 })
  const usual = useQuery({ ...usualColumns(), staleTime: 60_000 })
  const failed = own.data ? null : own.error
  const begin = own.data || failed ? (usual.data ?? (usual.error ? none : undefined)) : undefined
  const chosen = own.data && own.data.length > 0 ? own.data : begin
  const columns = useMemo(() => (chosen ? (chosen.includes(address) ? chosen : [address, ...chosen]) : none), [chosen])
  const retry = () => {
    void own.refetch()
    void usual.refetch()
  }
  return { columns, error: failed ?? (chosen === none ? usual.error : null), retry }
}

interface ColumnChooserProps {
  attributes: readonly Attribute[]
  chosen: Columns
}

/** Stored per user on the server, so they are available on every machine. */
export function ColumnChooser({ attributes, chosen: { columns, error } }: ColumnChooserProps) {
  const words = useWords(hosts)
  const change = useChange('settings', saveColumns, { queue: 'columns' })
  // Several columns can be ticked without waiting for each to be saved.
  const ticked = change.isPending ? change.variables : columns
  const toggle = (id: string, on: boolean) => change.mutate(on ? [...ticked, id] : ticked.filter((each) => each !== id))
  // A selection made before the saved one is loaded would overwrite it.
  if (error) {
    return (
      <Button icon="model" because={words.columnsUnknown}>
        {words.columns}
      </Button>
    )
  }
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
