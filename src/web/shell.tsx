import { Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { openAccount, signOut, usePermission, useSession } from './api.ts'
import { useDueTaskCount } from './components/due-tasks.ts'
import { useNeedsReplyCount } from './components/needs-reply.ts'
import { usePendingApprovalCount } from './components/pending-approvals.ts'
import type { PersonDialogName } from './components/person-dialog.tsx'
import { useProblemCount } from './components/problems.tsx'
import { useUnreadNotificationCount } from './components/unread-notifications.ts'
import { usePersonDialog } from './components/use-person-dialog.tsx'
import { ErrorHelp } from './error-page.tsx'
import { useLiveUpdates } from './live-updates.ts'
import { getSettingsGroups } from './pages/settings/settings-pages.ts'
import { SendingPauseBar, usePauseSending } from './sending-pause.tsx'
import { destinations, listShortcuts, searchKeys } from './shortcuts.ts'
import { type Command, CommandPalette } from './ui/command-palette.tsx'
import { ConfirmDialog, Dialog } from './ui/dialog.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { useFocusOnNavigation } from './ui/focus-on-navigation.ts'
import {
  BellIcon,
  ChartIcon,
  HomeIcon,
  PeopleIcon,
  PersonIcon,
  PhoneIcon,
  PlaneIcon,
  SlidersIcon,
  TasksIcon,
  TrayIcon,
} from './ui/icons.tsx'
import { closeMenu, Layout, MinorLinks, type NavItem, PopoverMenu } from './ui/layout.tsx'
import { ErrorHelpContext } from './ui/loaded.tsx'
import { listPageCommands } from './ui/page-commands.ts'
import { useListKeys } from './ui/roving-focus.ts'
import { ShortcutsDialog } from './ui/shortcuts-dialog.tsx'
import { type Theme, ThemeChoice, themes, useTheme } from './ui/theme.tsx'
import { Toasts } from './ui/toast.tsx'
import { useShortcuts } from './ui/use-shortcuts.ts'
import { useSearch } from './use-search.ts'

/** Time from the first page until dialogs are preloaded, so that they open instantly, even offline. */
const DIALOGS_DELAY_MS = 2_000

const items: NavItem[] = [
  { to: '/', label: 'Home', icon: HomeIcon },
  { to: '/inbox', label: 'Inbox', icon: TrayIcon },
  { to: '/campaigns', label: 'Campaigns', icon: PlaneIcon },
  { to: '/people', label: 'People', icon: PeopleIcon },
  { to: '/tasks', label: 'Tasks', icon: TasksIcon },
  { to: '/calls', label: 'Calls', icon: PhoneIcon, isMinor: true },
  { to: '/reports', label: 'Reports', icon: ChartIcon, isMinor: true },
]
const lowerItems: NavItem[] = [
  { to: '/notifications', label: 'Notifications', icon: BellIcon, isMinor: true },
  { to: '/settings', label: 'Settings', icon: SlidersIcon, isMinor: true },
]
const minorItems = [...items, ...lowerItems].filter(({ isMinor }) => isMinor)

/** Shows the frame around every page of a signed-in user. */
export function Shell() {
  const { account } = useSession()
  useLiveUpdates()
  const [openDialog, setOpenDialog] = useState<'palette' | 'shortcuts'>()
  const [theme, setTheme] = useTheme()
  const [openPersonDialog, personDialog] = usePersonDialog()
  const commands = [
    ...listPageCommands(),
    ...usePersonCommands(openPersonDialog),
    ...useGlobalCommands(() => setOpenDialog('shortcuts'), setTheme),
  ]
  const navigate = useNavigate()
  const search = () => setOpenDialog('palette')
  useListKeys()
  useFocusOnNavigation()
  useShortcuts({
    'mod+k': search,
    '?': () => setOpenDialog('shortcuts'),
    ...Object.fromEntries(destinations.map(([keys, , to]) => [keys, () => navigate({ to })])),
  })
  const close = () => setOpenDialog(undefined)
  useEffect(() => {
    const dialogs = [CommandPalette, Dialog, ConfirmDialog]
    const preload = () => dialogs.map(dialog => dialog.preload().catch(() => {}))
    const timer = setTimeout(preload, DIALOGS_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Layout
      search={{ keys: searchKeys, onSearch: search }}
      items={useNavItems(items)}
      lowerItems={useNavItems(lowerItems)}
      menu={isCollapsed => <AccountMenu {...{ isCollapsed, theme, setTheme }} onSearch={search} />}
    >
      {account ? (
        <>
          <SendingPauseBar />
          <ErrorHelpContext value={ErrorHelp}>
            <Outlet />
          </ErrorHelpContext>
        </>
      ) : (
        <NoAccount />
      )}
      <CommandPalette
        isOpen={openDialog === 'palette'}
        onClose={close}
        title="Command palette"
        placeholder="Search people, campaigns, pages and actions"
        commands={commands}
        useResults={useSearch}
      />
      <ShortcutsDialog isOpen={openDialog === 'shortcuts'} onClose={close} shortcuts={listShortcuts()} />
      {personDialog}
      <Toasts />
    </Layout>
  )
}

/** Returns the navigation items, each with its number of items that need attention. */
function useNavItems(all: NavItem[]): NavItem[] {
  const conversations = useNeedsReplyCount()
  const calls = usePendingApprovalCount()
  const tasks = useDueTaskCount()
  const problems = useProblemCount()
  const unread = useUnreadNotificationCount()
  const counts: Record<string, NavItem['count'] | ''> = {
    '/': problems && { text: problems, label: `${problems} ${problems === '1' ? 'problem' : 'problems'}` },
    '/notifications': unread && { text: unread, label: `${unread} unread` },
    '/inbox': conversations && { text: conversations, label: `${conversations} to reply to` },
    '/calls': calls && { text: calls, label: `${calls} to approve` },
    '/tasks': tasks && { text: tasks, label: `${tasks} to do` },
  }
  return all.map(item => {
    const count = counts[item.to]
    return count ? { ...item, count } : item
  })
}

const NoAccount = () => (
  <EmptyState title="You don’t have access to an account">
    Ask a member of an account to invite you, then open the link in the invitation.
  </EmptyState>
)

/** Returns the commands that act on a person. Each asks for the person first. */
function usePersonCommands(begin: (action: PersonDialogName) => void): Command[] {
  const canCall = usePermission('Call.TriggerCall')
  const actions: [label: string, isPermitted: boolean, action: PersonDialogName][] = [
    ['New task', usePermission('Task.EditTask'), 'task'],
    ['Place call', canCall, 'placeCall'],
    ['Log call', canCall, 'logCall'],
  ]
  return actions
    .filter(([, isPermitted]) => isPermitted)
    .map(([label, , action]) => ({ label, run: () => begin(action) }))
}

function useGlobalCommands(showShortcuts: () => void, setTheme: (theme: Theme) => void): Command[] {
  const navigate = useNavigate()
  const { accounts, account } = useSession()
  const pauseSending = usePauseSending()
  const settings = getSettingsGroups(account?.role).flatMap(({ pages }) => pages)
  const pages = [
    ...items,
    { to: '/notifications', label: 'Notifications' },
    { to: '/people/do-not-contact', label: 'Do Not Contact' },
    ...settings.map(({ to, label }) => ({ to, label: `Settings: ${label}` })),
  ]
  return [
    ...pages.map(({ to, label }) => ({ label, run: () => void navigate({ to }) })),
    {
      label: 'Weekly report',
      run: () => void navigate({ to: '/reports', search: { period: 'last-week' } }),
    },
    ...accounts
      .filter(({ id }) => id !== account?.id)
      .map(({ id, name }) => ({ label: `Switch to ${name}`, run: () => openAccount(id) })),
    ...themes.map(({ theme, label }) => ({ label: `Theme: ${label}`, run: () => setTheme(theme) })),
    ...(pauseSending ? [{ label: 'Pause all sending', run: pauseSending }] : []),
    { label: 'Show keyboard shortcuts', hint: '?', run: showShortcuts },
    { label: 'Sign out', run: () => void signOut() },
  ]
}

const choiceClass =
  'flex w-full items-center justify-between gap-3 rounded-control px-2.5 py-1.5 text-left hover:bg-sunken'

type MenuProps = {
  isCollapsed: boolean
  theme: Theme
  setTheme: (theme: Theme) => void
  onSearch: () => void
}

function AccountMenu({ isCollapsed, theme, setTheme, onSearch }: MenuProps) {
  const { user, accounts, account } = useSession()
  const pauseSending = usePauseSending()
  return (
    <PopoverMenu
      button={
        <>
          <PersonIcon className="shrink-0" />
          <span className={`min-w-0 ${isCollapsed ? 'narrow:sr-only' : ''}`}>
            <span className="hidden truncate font-medium text-text narrow:block">
              {account?.name ?? 'No account'}
            </span>
            <span className="hidden truncate narrow:block">{user.name}</span>
            <span className="narrow:hidden">More</span>
          </span>
        </>
      }
    >
      <MinorLinks items={useNavItems(minorItems)} onSearch={onSearch} />
      <p className="truncate px-2.5 pt-1.5 pb-2 text-muted text-sm">{user.email}</p>
      {accounts.map(({ id, name, role }) => (
        <button
          key={id}
          type="button"
          aria-current={id === account?.id}
          onClick={() => openAccount(id)}
          className={`${choiceClass} aria-[current=true]:bg-accent-quiet aria-[current=true]:text-accent`}
        >
          <span className="min-w-0 truncate font-medium">{name}</span>
          <span className="text-sm">{role}</span>
        </button>
      ))}
      <hr className="my-1.5 border-line" />
      <ThemeChoice theme={theme} onChoose={setTheme} />
      <hr className="my-1.5 border-line" />
      {pauseSending && (
        <button
          type="button"
          onClick={() => {
            closeMenu()
            pauseSending()
          }}
          className={choiceClass}
        >
          Pause all sending
        </button>
      )}
      <button type="button" onClick={() => void signOut()} className={choiceClass}>
        Sign out
      </button>
    </PopoverMenu>
  )
}
