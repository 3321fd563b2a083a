import { Link, useNavigate } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { Dialog, Popover } from 'react-aria-components'
import { BusinessPicker } from '../forms/BusinessField.tsx'
import { Icon } from '../kit/Icon.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

interface BusinessChoicesProps {
  trigger: RefObject<HTMLButtonElement | null>
  onClose(): void
}

export function BusinessChoices({ trigger, onClose }: BusinessChoicesProps) {
  const words = useWords(shell)
  const navigate = useNavigate()
  return (
    <Popover
      className="popover businesses"
      placement="bottom start"
      offset={4}
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Dialog aria-label={words.chooseBusiness}>
        <BusinessPicker
          onPick={(business) => {
            onClose()
            navigate({ to: '/topology/$business', params: { business } })
          }}
        />
        <Link to="/archived" className="place switcher-foot" onClick={onClose}>
          <Icon name="audit" />
          {words.archived}
        </Link>
      </Dialog>
    </Popover>
  )
}
