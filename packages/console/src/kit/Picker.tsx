import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Icon } from './Icon.tsx'

export interface Pickable {
  readonly id: string
  readonly name: string
  readonly aside?: string | undefined
  readonly sign: ReactNode
}

export interface PickerGroup<Item extends Pickable> {
  readonly id: string
  readonly name?: string
  readonly items: readonly Item[]
}

interface PickerProps<Item extends Pickable> {
  label: string
  placeholder: string
  sought: string
  onSought(words: string): void
  groups: readonly PickerGroup<Item>[]
  /** Shown when there are no items. */
  empty: string
  /** Shown below an incomplete list. */
  foot?: string
  /** Better items may still arrive: Enter waits for them. */
  isPending?: boolean
  onPick(item: Item): void
}

/** A searchable list: there is always an active item if there are any, also when they arrive later. */
export function Picker<Item extends Pickable>(props: PickerProps<Item>) {
  const { label, placeholder, sought, onSought, groups, empty, foot = '', isPending = false, onPick } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const items = groups.flatMap((group) => group.items)
  const [chosen, setChosen] = useState<string | null>(null)
  const at = Math.max(
    0,
    items.findIndex((item) => item.id === chosen),
  )
  const active = items[at]

  // biome-ignore lint/correctness/useExhaustiveDependencies: another active item is what there is to scroll to
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active?.id])

  // Enter was pressed for these words while better items could arrive.
  const [entered, setEntered] = useState<string | null>(null)
  const isDue = entered === sought && !isPending
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is picked once
  useEffect(() => {
    if (!isDue) return
    setEntered(null)
    if (active) onPick(active)
  }, [isDue])

  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(items[Math.min(items.length - 1, Math.max(0, at + step))]?.id ?? null)
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      if (isPending && chosen === null) setEntered(sought)
      else if (active) onPick(active)
    }
  }

  return (
    <div className="picker">
      <div className="search">
        <Icon name="search" />
        <input
          className="input"
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={`${id}list`}
          aria-activedescendant={active && id + active.id}
          aria-autocomplete="list"
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: it is opened to be typed into
          autoFocus
          placeholder={placeholder}
          value={sought}
          onChange={(event) => {
            onSought(event.target.value)
            setChosen(null)
          }}
          onKeyDown={press}
        />
      </div>
      <div ref={list} className="options" id={`${id}list`} role="listbox" aria-label={label} tabIndex={-1}>
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
          <div key={group.id} role="group" aria-label={group.name ?? label}>
            {group.name && (
              <div className="options-header" aria-hidden="true">
                {group.name}
              </div>
            )}
            {group.items.map((item) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
              <div
                key={item.id}
                id={id + item.id}
                className="option"
                role="option"
                tabIndex={-1}
                aria-selected={item === active}
                onPointerMove={() => setChosen(item.id)}
                onClick={() => onPick(item)}
              >
                {item.sign}
                <span className="truncate">{item.name}</span>
                <span className="aside truncate">{item.aside}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      {items.length === 0 && (
        <p className="quiet nothing" role="status">
          {empty}
        </p>
      )}
      {foot && <p className="quiet picker-foot">{foot}</p>}
    </div>
  )
}
