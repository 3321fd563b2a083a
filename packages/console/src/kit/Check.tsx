import type { ReactNode } from 'react'
import { Checkbox } from 'react-aria-components'
import { Icon } from './Icon.tsx'

interface CheckProps {
  children: ReactNode
  /** Said in place of what is shown, where that is too little by itself. */
  label?: string
  isSelected: boolean
  onChange(on: boolean): void
}

export const Check = ({ children, label, ...rest }: CheckProps) => (
  <Checkbox className="check" {...rest} {...(label && { 'aria-label': label })}>
    <span className="box">
      <Icon name="check" size={12} />
    </span>
    {children}
  </Checkbox>
)
