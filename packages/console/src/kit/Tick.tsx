import type { ChangeEvent } from 'react'
import { Icon } from './Icon.tsx'

interface TickProps {
  label: string
  on: boolean
  some?: boolean
  onChange(on: boolean, isRange: boolean): void
}

const hasShift = ({ nativeEvent }: ChangeEvent) => nativeEvent instanceof MouseEvent && nativeEvent.shiftKey

/** A native checkbox with our style: a page has a hundred of them, and the kit's is much slower. */
export const Tick = ({ label, on, some = false, onChange }: TickProps) => (
  <label className="check native">
    <input
      type="checkbox"
      aria-label={label}
      checked={on}
      ref={(box) => {
        if (box) box.indeterminate = some
      }}
      onChange={(event) => onChange(event.target.checked, hasShift(event))}
    />
    <span className="box">
      <Icon name={some ? 'minus' : 'check'} size={12} />
    </span>
  </label>
)
