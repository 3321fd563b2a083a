import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Dialog, DialogTrigger, Popover, Button as Pressable } from 'react-aria-components'
import { useChange } from '../../../api/ask.ts'
import { type Attribute, grouped } from '../../../forms/attributes.ts'
import { Button } from '../../../kit/Button.tsx'
import { Check } from '../../../kit/Check.tsx'
import { Failure } from '../../../kit/Failure.tsx'
import { SearchField } from '../../../kit/Field.tsx'
import { Icon } from '../../../kit/Icon.tsx'
import { hosts } from '../../../words/hosts.ts'
import { useWords } from '../../../words/index.ts'
import { address, ownColumns, saveColumns, usualColumns } from '../questions.ts'

export interface Columns {
  /** Empty while loading. */
  readonly columns: readonly string[]
  /** Why the saved columns could not be loaded; the defaults are shown then. */
  readonly error: Error | null
  retry(): void
}

const none: readonly string[] = []

/** The columns of the link, or those of the user, or the default columns, or the address alone. */
export function useColumns(linked: string | undefined): Columns {
  const own = useQuery({ ...ownColumns(), staleTime: 60_000 })
  const usual = useQuery({ ...usualColumns(), staleTime: 60_000 })
  const failed = own.data ? null : own.error
  const begin = own.data || failed ? (usual.data ?? (usual.error ? none : undefined)) : undefined
  const chosen = own.data && own.data.length > 0 ? own.data : begin
  const columns = useMemo(() => {
    const shown = linked ? linked.split(',') : chosen
    return shown ? (shown.includes(address) ? shown : [address, ...shown]) : none
  }, [linked, chosen])
  const retry = () => {
    void own.refetch()
    void usual.refetch()
  }
  if (linked) return { columns, error: null, retry }
  return { columns, error: failed ?? (chosen === none ? usual.error : null), retry }
}

interface ColumnChooserProps {
  attributes: readonly Attribute[]
  chosen: Columns
  /** The columns are part of the link, in place of those of the user. */
  isLinked: boolean
  /** Undefined takes them out of the link. */
  onLink(columns: readonly string[] | undefined): void
}

/** Stored per user on the server, so they are available on every machine; or in the link, for those who receive it. */
export function ColumnChooser({ attributes, chosen: { columns, error }, isLinked, onLink }: ColumnChooserProps) {
  const words = useWords(hosts)
  const change = useChange('settings', saveColumns, { queue: 'columns' })
  const [sought, setSought] = useState('')
  // Several columns can be ticked without waiting for each to be saved.
  const ticked = change.isPending && !isLinked ? change.variables : columns
  const choose = (next: readonly string[]) => (isLinked ? onLink(next) : change.mutate([...next]))
  const toggle = (id: string, on: boolean) => choose(on ? [...ticked, id] : ticked.filter((each) => each !== id))
  // A selection made before the saved one is loaded would overwrite it.
  if (error) {
    return (
      <Button icon="model" because={words.columnsUnknown}>
        {words.columns}
      </Button>
    )
  }
  const isSought = ({ bk_property_name: name, bk_property_id: id }: Attribute) =>
    `${name} ${id}`.toLocaleLowerCase().includes(sought.trim().toLocaleLowerCase())
  return (
    <DialogTrigger>
      <Pressable className="button plain" isDisabled={columns.length === 0}>
        <Icon name="model" />
        {words.columns}
      </Pressable>
      <Popover className="popover columns" placement="bottom end" offset={4}>
        <Dialog aria-label={words.columns} className="options">
          {change.error && <Failure error={change.error} />}
          <SearchField label={words.findColumn} value={sought} onChange={setSought} />
          <Check isSelected={isLinked} onChange={(on) => onLink(on ? ticked : undefined)}>
            {words.columnsInLink}
          </Check>
          {!sought.trim() && <Order columns={ticked} attributes={attributes} onChange={choose} />}
          {grouped(attributes.filter(isSought)).map((group) => (
            <section key={group.name}>
              <h3 className="options-header">{group.name}</h3>
              {group.attributes.map(({ bk_property_id: id, bk_property_name: name }) => (
                <Check
                  key={id}
                  isSelected={ticked.includes(id)}
                  isDisabled={id === address}
                  onChange={(on) => toggle(id, on)}
                >
                  {name}
                </Check>
              ))}
            </section>
          ))}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

interface OrderProps {
  columns: readonly string[]
  attributes: readonly Attribute[]
  onChange(columns: readonly string[]): void
}

/** The chosen columns, each of which can be moved. */
function Order({ columns, attributes, onChange }: OrderProps) {
  const words = useWords(hosts)
  const shown = columns.filter((id) => attributes.some((each) => each.bk_property_id === id))
  const move = (at: number, by: number) => {
    const next = [...shown]
    const [moved] = next.splice(at, 1)
    if (moved) next.splice(at + by, 0, moved)
    onChange(next)
  }
  return (
    <section>
      <h3 className="options-header">{words.columnOrder}</h3>
      <ol className="column-order">
        {shown.map((id, at) => {
          const name = attributes.find((each) => each.bk_property_id === id)?.bk_property_name ?? id
          return (
            <li key={id}>
              <span className="truncate">{name}</span>
              <Button
                look="quiet"
                icon="up"
                label={words.columnLeft(name)}
                isDisabled={at === 0}
                onPress={() => move(at, -1)}
              />
              <Button
                look="quiet"
                icon="down"
                label={words.columnRight(name)}
                isDisabled={at === shown.length - 1}
                onPress={() => move(at, 1)}
              />
            </li>
          )
        })}
      </ol>
    </section>
  )
}
