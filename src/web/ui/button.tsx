import type { ButtonHTMLAttributes } from 'react'

const looks = {
  primary: 'border-transparent bg-solid text-on-solid hover:bg-solid-hover',
  secondary: 'border-edge/60 bg-surface text-text hover:bg-sunken',
  quiet: 'border-transparent text-accent hover:bg-accent-quiet',
  danger: 'border-red/60 bg-surface text-red hover:bg-red-quiet',
}
const sizes = {
  medium: 'h-9 px-3.5',
  small: 'h-7 px-2.5 text-sm',
}

export const buttonClass = (
  look: keyof typeof looks = 'secondary',
  size: keyof typeof sizes = 'medium',
): string =>
  `inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-control border font-medium transition-colors duration-150 disabled:opacity-60 ${looks[look]} ${sizes[size]}`

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: keyof typeof looks
  size?: keyof typeof sizes
  /** Disables the button while its action is running. */
  isBusy?: boolean
}

export function Button({ look, size, isBusy, className = '', type = 'button', children, ...rest }: Props) {
  return (
    <button
      type={type}
      disabled={isBusy}
      aria-busy={isBusy || undefined}
      className={`${buttonClass(look, size)} ${className}`}
      {...rest}
    >
      {children}
    </button>
  )
}

/** The class of a link or button that filters a list. The active filter has `aria-current` or `aria-pressed`. */
export const filterClass =
  'rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent aria-pressed:bg-accent-quiet aria-pressed:font-medium aria-pressed:text-accent'
