import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog, DialogTrigger, Popover, Button as Pressable } from 'react-aria-components'
import { useChange } from '../../../api/ask.ts'
import { type Filter, takesNone } from '../../../forms/filters.ts'
import { useAttributesOfKinds } from '../../../forms/kinds.ts'
import { Button } from '../../../kit/Button.tsx'
import { Failure } from '../../../kit/Failure.tsx'
import { TextField } from '../../../kit/Field.tsx'
import { Icon } from '../../../kit/Icon.tsx'
import { tell } from '../../../kit/Toasts.tsx'
import { filtering } from '../../../words/filters.ts'
import { hosts } from '../../../words/hosts.ts'
import { useWords } from '../../../words/index.ts'
import type { HostView } from '../browsing.ts'
import {
  deleteView,
  filtersIn,
  isSearch,
  noteUse,
  recentSearches,
  type SavedView,
  savedViews,
  saveView,
  toStored,
} from './views.ts'

interface ViewsProps {
  view: HostView
  onView(view: HostView): void
}

/** Saved views and recent searches of the user, on every machine. */
export function Views({ view, onView }: ViewsProps) {
  const words = useWords(hosts)
  const [isOpen, setOpen] = useState(false)
  const open = (next: HostView) => {
    setOpen(false)
    onView(next)
  }
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Pressable className="button plain">
        <Icon name="views" />
        {words.views}
      </Pressable>
      <Popover className="popover views" placement="bottom end" offset={4}>
        <Dialog aria-label={words.views} className="options">
          <Content view={view} onOpen={open} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

function Content({ view, onOpen }: { view: HostView; onOpen(view: HostView): void }) {
  const words = useWords(hosts)
  const saved = useQuery(savedViews())
  const recent = useQuery(recentSearches())
  const describe = useDescription([view, ...(saved.data ?? []).map((each) => each.view), ...(recent.data ?? [])])
  const removing = useChange('views', deleteView)
  const use = ({ id, view }: SavedView) => {
    void noteUse(id).catch(() => {})
    onOpen(view)
  }
  return (
    <>
      <SaveView view={view} />
      {saved.error && <Failure error={saved.error} retry={saved.refetch} />}
      {removing.error && <Failure error={removing.error} />}
      <h3 className="options-header">{words.savedViews}</h3>
      {saved.data?.length === 0 && <p className="quiet view-none">{words.noViews}</p>}
      <ul>
        {saved.data?.map((each) => (
          <li key={each.id} className="view-line">
            <button type="button" className="option" onClick={() => use(each)}>
              <span className="truncate">{each.name}</span>
              <span className="aside truncate">{describe(each.view)}</span>
            </button>
            <Button
              look="quiet"
              icon="bin"
              label={words.deleteView(each.name)}
              onPress={() => removing.mutate(each.id)}
            />
          </li>
        ))}
      </ul>
      {recent.data && recent.data.length > 0 && (
        <>
          <h3 className="options-header">{words.recent}</h3>
          <ul>
            {recent.data.map((each) => (
              <li key={JSON.stringify(each)}>
                <button type="button" className="option" onClick={() => onOpen(each)}>
                  <span className="truncate">{describe(each)}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function SaveView({ view }: { view: HostView }) {
  const words = useWords(hosts)
  const [name, setName] = useState('')
  const attributes = useAttributesOfKinds([...new Set(filtersIn(view).map((each) => each.object))])
  const change = useChange('views', () => saveView(name.trim(), toStored(view, attributes.of)))
  const save = () =>
    change.mutate(undefined, {
      onSuccess: () => {
        setName('')
        tell(words.viewSaved(name.trim()))
      },
    })
  const nothing = isSearch(view) || view.sort || view.columns ? undefined : words.nothingToSave
  return (
    <form
      className="view-save"
      onSubmit={(event) => {
        event.preventDefault()
        if (!nothing && name.trim() && attributes.areLoaded) save()
      }}
    >
      <TextField label={words.viewName} placeholder={words.viewName} bare value={name} onChange={setName} />
      <Button type="submit" busy={change.isPending} because={nothing ?? (name.trim() ? undefined : words.nameView)}>
        {words.saveView}
      </Button>
      {change.error && <Failure error={change.error} />}
    </form>
  )
}

/** A search in words. */
function useDescription(views: readonly HostView[]): (view: HostView) => string {
  const words = useWords(hosts)
  const { operators, objects } = useWords(filtering)
  const attributes = useAttributesOfKinds([...new Set(views.flatMap(filtersIn).map((each) => each.object))])
  const said = ({ object, field, operator, value }: Filter) => {
    const name = attributes.of(object).find((each) => each.bk_property_id === field)?.bk_property_name ?? field
    const subject = object === 'host' ? name : `${objects[object]} ${name}`
    return `${subject} ${operators[operator]}${takesNone(operator) ? '' : ` ${value}`}`
  }
  return (view) => [view.q && `“${view.q}”`, ...filtersIn(view).map(said)].filter(Boolean).join(', ') || words.all
}
