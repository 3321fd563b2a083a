import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { oneBusiness } from '../api/businesses.ts'
import { Icon } from '../kit/Icon.tsx'
import { Station } from '../kit/Station.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

export const loadBusinessChoices = () => import('./BusinessChoices.tsx')
const BusinessChoices = lazy(() => loadBusinessChoices().then((file) => ({ default: file.BusinessChoices })))

export function BusinessSwitcher({ current }: { current: number | null }) {
  const words = useWords(shell)
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const named = useQuery({ ...oneBusiness(current ?? 0), enabled: current !== null })
  const name =
    current === null ? words.chooseBusiness : (named.data?.bk_biz_name ?? (named.isPending ? '' : `#${current}`))
  return (
    <>
      <Button
        ref={trigger}
        className="switcher"
        aria-label={`${words.business}: ${name}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPress={() => setOpen(true)}
      >
        <Station object="biz" />
        <span className={current === null ? 'truncate none' : 'truncate'}>{name}</span>
        <Icon name="updown" size={14} />
      </Button>
      {isOpen && (
        <Suspense>
          <BusinessChoices trigger={trigger} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
