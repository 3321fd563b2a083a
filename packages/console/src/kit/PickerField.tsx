import { type ReactNode, useState } from 'react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { Icon } from './Icon.tsx'

interface PickerFieldProps {
  label: string
  /** The chosen item, or what to choose if there is none. */
  shown: string
  /** Nothing has been chosen. */
  isEmpty: boolean
  isDisabled?: boolean
  /** For a toolbar or a row: the label is announced, not shown. */
  bare?: boolean
  /** A picker, which closes the field when an item has been picked. */
  children(close: () => void): ReactNode
}

/** A searchable list that looks like a select. */
export function PickerField({ label, shown, isEmpty, isDisabled = false, bare = false, children }: PickerFieldProps) {
  const [open, setOpen] = useState(false)
  return (
    <div className={bare ? 'field bare' : 'field'}>
      {!bare && <span className="label">{label}</span>}
      <DialogTrigger isOpen={open} onOpenChange={setOpen}>
        <Button className="input select" aria-label={`${shown} ${label}`} isDisabled={isDisabled}>
          <span className="truncate" {...(isEmpty && { 'data-placeholder': true })}>
            {shown}
          </span>
          <Icon name="updown" size={14} />
        </Button>
        <Popover className="popover businesses" placement="bottom start" offset={4}>
          <Dialog aria-label={label}>{children(() => setOpen(false))}</Dialog>
        </Popover>
      </DialogTrigger>
    </div>
  )
}
