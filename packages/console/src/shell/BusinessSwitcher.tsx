import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Autocomplete, Button, Dialog, DialogTrigger, Menu, MenuItem, Popover } from 'react-aria-components'
import { findBusinesses, oneBusiness } from '../api/businesses.ts'
import { SearchField } from '../kit/Field.tsx'
import { Icon } from '../kit/Icon.tsx'
import { Station } from '../kit/Station.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

export function BusinessSwitcher({ current }: { current: number | null }) {
  const words = useWords(shell)
  const [open, setOpen] = useState(false)
  const named = useQuery({ ...oneBusiness(current ?? 0), enabled: current !== null })
  const name =
    current === null ? words.chooseBusiness : (named.data?.bk_biz_name ?? (named.isPending ? '' : `#${current}`))
  return (
    <DialogTrigger isOpen={open} onOpenChange={setOpen}>
      <Button className="switcher" aria-label={`${words.business}: ${name}`}>
        <Station object="biz" />
        <span className="truncate">{name}</span>
        <Icon name="updown" size={14} />
      </Button>
      <Popover className="popover businesses" placement="bottom start" offset={4}>
        <Dialog aria-label={words.chooseBusiness}>
          <Choosing onChosen={() => setOpen(false)} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

function Choosing({ onChosen }: { onChosen(): void }) {
  const words = useWords(shell)
  const { nothingFound } = useWords(common)
  const navigate = useNavigate()
  const [sought, setSought] = useState('')
  const { data } = useQuery({ ...findBusinesses(sought), placeholderData: (before) => before })
  return (
    <Autocomplete inputValue={sought} onInputChange={setSought}>
      <SearchField label={words.findBusiness} value={sought} onChange={setSought} autoFocus />
      <Menu
        className="options"
        aria-label={words.chooseBusiness}
        items={data?.businesses ?? []}
        renderEmptyState={() => <p className="quiet option">{data ? nothingFound : ''}</p>}
        onAction={(key) => {
          onChosen()
          navigate({ to: '/topology/$business', params: { business: String(key) } })
        }}
      >
        {(business) => (
          <MenuItem id={business.bk_biz_id} textValue={business.bk_biz_name} className="option">
            <Station object="biz" />
            <span className="truncate">{business.bk_biz_name}</span>
            <span className="aside truncate">{business.bk_biz_maintainer}</span>
          </MenuItem>
        )}
      </Menu>
    </Autocomplete>
  )
}
