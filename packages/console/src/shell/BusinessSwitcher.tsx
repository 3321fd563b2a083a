import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { oneBusiness } from '../api/businesses.ts'
import { BusinessPicker } from '../forms/BusinessField.tsx'
import { Icon } from '../kit/Icon.tsx'
import { Station } from '../kit/Station.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

export function BusinessSwitcher({ current }: { current: number | null }) {
  const words = useWords(shell)
  const navigate = useNavigate()
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
          <BusinessPicker
            onPick={(business) => {
              setOpen(false)
              navigate({ to: '/topology/$business', params: { business } })
            }}
          />
          <Link to="/archived" className="place switcher-foot" onClick={() => setOpen(false)}>
            <Icon name="audit" />
            {words.archived}
          </Link>
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
