import { lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { buttonClass } from './button.tsx'

// Loaded when a menu is about to open, so that pages with a menu stay small.
const loadPopup = () => import('./menu-popup.tsx')
const MenuPopup = lazy(async () => ({ default: (await loadPopup()).MenuPopup }))
export const MenuItem = lazy(async () => ({ default: (await loadPopup()).MenuItem }))
export const MenuGroup = lazy(async () => ({ default: (await loadPopup()).MenuGroup }))

export type MenuState = 'closed' | 'by pointer' | 'by keyboard'

type Props = {
  /** Label of the button that opens the menu. */
  label: string
  /** Names the button more precisely for screen readers. */
  ariaLabel?: string
  size?: 'medium' | 'small'
  look?: 'primary' | 'secondary' | 'quiet'
  /** Returns the element that receives focus after a choice; defaults to the button. */
  focusAfter?: () => HTMLElement | null | undefined
  children: ReactNode
}

/** Shows a button with a menu of actions. */
export function Menu({ label, ariaLabel, size, look, focusAfter, children }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  /** Undefined until the menu first opens. Then the menu stays mounted, so that focus returns when it closes. */
  const [state, setState] = useState<MenuState>()
  const isOpen = state === 'by pointer' || state === 'by keyboard'
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={ariaLabel}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onPointerEnter={loadPopup}
        onFocus={loadPopup}
        // A click by keyboard has a `detail` of 0.
        onClick={event => setState(isOpen ? 'closed' : event.detail > 0 ? 'by pointer' : 'by keyboard')}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setState('by keyboard')
        }}
        className={`${buttonClass(look, size)} max-w-full`}
      >
        <span className="truncate">{label}</span>
      </button>
      {state && (
        <Suspense>
          <MenuPopup {...{ id, button, state, focusAfter }} onClose={() => setState('closed')}>
            {children}
          </MenuPopup>
        </Suspense>
      )}
    </>
  )
}
