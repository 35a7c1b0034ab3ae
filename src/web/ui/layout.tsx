import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { CollapseIcon, ExpandIcon, type Icon, SearchIcon } from './icons.tsx'
import { TabCount } from './tab-count.tsx'
import { useMediaQuery } from './use-media-query.ts'

export type NavItem = {
  to: string
  label: string
  icon: Icon
  /** Number of items that need attention: the badge text and its accessible label. */
  count?: { text: string; label: string } | undefined
  /** Moved from the bottom bar into the menu on narrow screens. */
  isMinor?: boolean
}

/** The global search: the keys of its shortcut, and the function that opens it. */
type Search = { keys: string; onSearch: () => void }

type Props = {
  search: Search
  items: NavItem[]
  /** Items below the divider. */
  lowerItems: NavItem[]
  /** Account and user menu, at the bottom of the rail and the end of the bottom bar. */
  menu: (isCollapsed: boolean) => ReactNode
  children: ReactNode
}

const RAIL_KEY = 'overture.rail'

/**
 * Shows a navigation rail that can be collapsed to its icons and starts collapsed on tablets; on narrow screens, a
 * bottom bar.
 */
export function Layout({ search, items, lowerItems, menu, children }: Props) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(RAIL_KEY))
  const isWide = useMediaQuery('(min-width: 64rem)')
  const isCollapsed = chosen ? chosen === 'collapsed' : !isWide
  const toggle = () => {
    const next = isCollapsed ? 'open' : 'collapsed'
    localStorage.setItem(RAIL_KEY, next)
    setChosen(next)
  }
  const ToggleIcon = isCollapsed ? ExpandIcon : CollapseIcon
  return (
    <div className="min-h-dvh narrow:flex print:block">
      <a
        href="#content"
        className="sr-only z-50 rounded-control bg-solid px-3 py-2 text-on-solid focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <nav
        aria-label="Main"
        data-collapsed={isCollapsed || undefined}
        className={`fixed inset-x-0 bottom-0 z-10 flex h-14 items-stretch border-line border-t bg-surface px-1 transition-[width] duration-150 print:hidden narrow:sticky narrow:inset-auto narrow:top-0 narrow:h-dvh narrow:shrink-0 narrow:flex-col narrow:border-t-0 narrow:border-r narrow:p-2 ${isCollapsed ? 'narrow:w-14' : 'narrow:w-52'}`}
      >
        <div className="mb-3 hidden items-center justify-between gap-2 narrow:flex">
          {!isCollapsed && (
            <Link to="/" className="flex items-center gap-2 rounded-control px-2 font-semibold">
              <img src="/favicon.svg" alt="" className="size-5" />
              Overture
            </Link>
          )}
          <button
            type="button"
            onClick={toggle}
            aria-label={isCollapsed ? 'Expand menu' : 'Collapse menu'}
            className="grid size-9 place-items-center rounded-control text-muted hover:bg-sunken hover:text-text"
          >
            <ToggleIcon />
          </button>
        </div>
        <SearchButton {...search} isCollapsed={isCollapsed} />
        <Items items={items} isCollapsed={isCollapsed} />
        <hr className="mx-1 my-2 hidden border-line narrow:block" />
        <Items items={lowerItems} isCollapsed={isCollapsed} />
        <div className="flex flex-auto narrow:mt-auto narrow:flex-none">{menu(isCollapsed)}</div>
      </nav>
      <main
        id="content"
        tabIndex={-1}
        className="min-w-0 flex-1 px-4 pt-5 pb-24 outline-none print:p-0! narrow:px-8 narrow:pt-7 narrow:pb-12 wide:has-data-filling:h-dvh wide:has-data-filling:pt-5 wide:has-data-filling:pb-0"
      >
        <div className="mx-auto max-w-[96rem] wide:has-data-filling:flex wide:has-data-filling:h-full wide:has-data-filling:max-w-none wide:has-data-filling:flex-col">
          {children}
        </div>
      </main>
    </div>
  )
}

/** Opens the search. Hidden on narrow screens, where the menu has the search. */
const SearchButton = ({ keys, onSearch, isCollapsed }: Search & { isCollapsed: boolean }) => (
  <button
    type="button"
    onClick={onSearch}
    title={isCollapsed ? 'Search' : undefined}
    className={`mb-2 hidden h-9 shrink-0 items-center gap-2.5 rounded-control border border-line text-muted hover:border-edge hover:text-text narrow:flex ${isCollapsed ? 'justify-center' : 'px-2.5'}`}
  >
    <SearchIcon className="shrink-0" />
    <span className={isCollapsed ? 'sr-only' : 'flex-1 text-left'}>Search</span>
    {!isCollapsed && (
      <span aria-hidden="true" className="text-xs">
        {keys}
      </span>
    )}
  </button>
)

function Items({ items, isCollapsed }: { items: NavItem[]; isCollapsed: boolean }) {
  return (
    <ul className="contents narrow:grid narrow:gap-0.5">
      {items.map(({ to, label, icon: ItemIcon, count, isMinor }) => (
        <li key={to} className={`flex-auto narrow:block ${isMinor ? 'hidden' : 'flex'}`}>
          <Link
            to={to}
            activeOptions={{ exact: to === '/' }}
            title={isCollapsed ? label : undefined}
            className={`flex flex-1 flex-col items-center justify-center gap-0.5 rounded-control text-muted text-xs hover:bg-sunken hover:text-text aria-[current=page]:text-accent narrow:aria-[current=page]:bg-accent-quiet ${isCollapsed ? 'narrow:min-h-9 narrow:gap-0 narrow:py-1' : 'narrow:h-9 narrow:flex-row narrow:justify-start narrow:gap-2.5 narrow:px-2.5 narrow:text-base'}`}
          >
            <ItemIcon className="shrink-0" />
            <span
              className={`flex min-w-0 items-center gap-1 narrow:justify-between ${isCollapsed ? '' : 'narrow:flex-1'}`}
            >
              <span
                className={`text-center leading-tight narrow:whitespace-nowrap narrow:leading-normal ${isCollapsed ? 'narrow:sr-only' : ''}`}
              >
                {label}
              </span>
              {count && (
                <span aria-hidden="true" className="font-medium text-accent text-xs tabular-nums">
                  {count.text}
                </span>
              )}
            </span>
            {count && <span className="sr-only">{count.label}</span>}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Shows the search and the items that don't fit into the bottom bar. */
export const MinorLinks = ({ items, onSearch }: { items: NavItem[]; onSearch: () => void }) => (
  <ul className="mb-1.5 border-line border-b pb-1.5 narrow:hidden">
    <li>
      <button
        type="button"
        onClick={() => {
          closeMenu()
          onSearch()
        }}
        className="flex w-full items-center gap-2.5 rounded-control px-2.5 py-1.5 hover:bg-sunken"
      >
        <SearchIcon />
        Search
      </button>
    </li>
    {items.map(({ to, label, icon: ItemIcon, count }) => (
      <li key={to}>
        <Link
          to={to}
          onClick={closeMenu}
          className="flex items-center gap-2.5 rounded-control px-2.5 py-1.5 hover:bg-sunken aria-[current=page]:text-accent"
        >
          <ItemIcon />
          {label}
          {count && (
            <>
              <span aria-hidden="true" className="ml-auto font-medium text-accent text-xs tabular-nums">
                {count.text}
              </span>
              <span className="sr-only">{count.label}</span>
            </>
          )}
        </Link>
      </li>
    ))}
  </ul>
)

const MENU_ID = 'popover-menu'

export const closeMenu = (): void => document.getElementById(MENU_ID)?.hidePopover()

type Tab = {
  to: string
  label: string
  count?: string | undefined
  /** Marks the tab as current on pages nested below it. */
  isCurrent?: boolean
}

/** Shows links between the pages of one area. */
export function Tabs({ label, items }: { label: string; items: Tab[] }) {
  return (
    <nav aria-label={label} className="mb-6 flex flex-wrap gap-x-1 gap-y-1 border-line border-b pb-2">
      {items.map(item => (
        <Link
          key={item.to}
          to={item.to}
          activeOptions={{ exact: true, includeSearch: false }}
          {...(item.isCurrent && { 'aria-current': 'page' })}
          className="rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent"
        >
          {item.label} <TabCount text={item.count} />
        </Link>
      ))}
    </nav>
  )
}

type NavGroup = { label: string; pages: { to: string; label: string }[] }

/** Shows links between the pages of one area in groups: a list at the side, or a select on narrow screens. */
export function SideNav({ label, groups }: { label: string; groups: NavGroup[] }) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const current = groups
    .flatMap(({ pages }) => pages)
    .find(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
  return (
    <>
      <nav aria-label={label} className="hidden w-44 shrink-0 wide:block">
        {groups.map(group => (
          <div key={group.label} className="mb-5">
            <p className="mb-1 px-2.5 text-muted text-xs">{group.label}</p>
            <ul className="grid gap-0.5">
              {group.pages.map(({ to, label }) => (
                <li key={to}>
                  <Link
                    to={to}
                    {...(current?.to === to && { 'aria-current': 'page' })}
                    className="block rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent"
                  >
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <select
        aria-label={label}
        value={current?.to ?? ''}
        onChange={event => void navigate({ to: event.target.value })}
        className="mb-5 h-9 w-full rounded-control border border-edge bg-surface px-3 wide:hidden"
      >
        {/* Pages that the role cannot open are not in any group. */}
        {!current && <option value="">{label}</option>}
        {groups.map(group => (
          <optgroup key={group.label} label={group.label}>
            {group.pages.map(({ to, label }) => (
              <option key={to} value={to}>
                {label}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </>
  )
}

/** Shows a menu that a button opens. Closes on Escape, a click outside or a choice. */
export function PopoverMenu({ button, children }: { button: ReactNode; children: ReactNode }) {
  return (
    <>
      <button
        type="button"
        popoverTarget={MENU_ID}
        className="flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 rounded-control text-muted text-xs hover:bg-sunken hover:text-text narrow:min-h-11 narrow:flex-row narrow:justify-start narrow:gap-2.5 narrow:px-2 narrow:text-left narrow:text-sm"
      >
        {button}
      </button>
      <div
        id={MENU_ID}
        popover="auto"
        className="inset-auto right-2 bottom-16 w-64 animate-appear rounded-card border border-line bg-surface p-1.5 text-text shadow-float narrow:right-auto narrow:bottom-14 narrow:left-2"
      >
        {children}
      </div>
    </>
  )
}
