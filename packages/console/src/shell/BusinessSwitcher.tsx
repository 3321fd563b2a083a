import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { findBusinesses, oneBusiness } from '../api/businesses.ts'
import { Icon } from '../kit/Icon.tsx'
import { Picker } from '../kit/Picker.tsx'
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
        <span className={current === null ? 'truncate none' : 'truncate'}>{name}</span>
        <Icon name="updown" size={14} />
      </Button>
      <Popover className="popover businesses" placement="bottom start" offset={4}>
        <Dialog aria-label={words.chooseBusiness}>
          <Choosing onChosen={() => setOpen(false)} />
          <Link to="/archived" className="place switcher-foot" onClick={() => setOpen(false)}>
            <Icon name="audit" />
            {words.archived}
          </Link>
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
  // What was found for the letters before stays until there is more, but only as far as it fits those typed now.
  const fits = (name: string) => name.toLowerCase().includes(sought.trim().toLowerCase())
  const items = (data?.businesses ?? [])
    .filter((business) => fits(business.bk_biz_name))
    .map((business) => ({
      id: String(business.bk_biz_id),
      name: business.bk_biz_name,
      aside: business.bk_biz_maintainer,
      sign: <Station object="biz" />,
    }))
  return (
    <Picker
      label={words.findBusiness}
      placeholder={words.findBusiness}
      sought={sought}
      onSought={setSought}
      groups={[{ id: 'businesses', items }]}
      empty={data ? nothingFound : ''}
      onPick={({ id }) => {
        onChosen()
        navigate({ to: '/topology/$business', params: { business: id } })
      }}
    />
  )
}
