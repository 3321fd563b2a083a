import type { ReactNode } from 'react'
import { Focusable, Button as Pressable, Tooltip, TooltipTrigger } from 'react-aria-components'
import { Icon, type IconName } from './Icon.tsx'

interface ButtonProps {
  children?: ReactNode
  /** Said instead of shown, for a button that is only an icon. */
  label?: string
  icon?: IconName
  look?: 'plain' | 'primary' | 'quiet' | 'danger'
  type?: 'button' | 'submit'
  /** Why it cannot be used now: a button is never dead without a reason. */
  because?: string | undefined
  busy?: boolean
  autoFocus?: boolean
  form?: string
  /** Only where it is plain to see why, as on the first page of many. */
  isDisabled?: boolean
  onPress?: () => void
  /** The pointer has come near: what a press would need can be asked for. */
  onHoverStart?: () => void
}

export function Button({
  children,
  label,
  icon,
  look = 'plain',
  type = 'button',
  because,
  busy,
  onPress,
  ...rest
}: ButtonProps) {
  const inside = (
    <>
      {icon && <Icon name={icon} />}
      {children}
    </>
  )
  const looks = `button ${look}${children ? '' : ' only-icon'}`
  if (because) {
    return (
      <Hint text={because}>
        <button type="button" className={looks} aria-disabled="true" aria-label={label}>
          {inside}
        </button>
      </Hint>
    )
  }
  const button = (
    <Pressable
      className={looks}
      type={type}
      data-pending={busy || undefined}
      {...(label && { 'aria-label': label })}
      {...(onPress && { onPress: () => !busy && onPress() })}
      {...rest}
    >
      {inside}
    </Pressable>
  )
  if (children || !label) return button
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      {button}
      <Tooltip className="tooltip" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  )
}

/** Says more about what is under the pointer or has the focus. */
export const Hint = ({
  text,
  children,
}: {
  text: string
  children: React.ComponentProps<typeof Focusable>['children']
}) => (
  <TooltipTrigger delay={200} closeDelay={0}>
    <Focusable>{children}</Focusable>
    <Tooltip className="tooltip" offset={6}>
      {text}
    </Tooltip>
  </TooltipTrigger>
)
