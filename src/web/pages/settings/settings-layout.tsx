import { Outlet, useChildMatches } from '@tanstack/react-router'
import { useSession } from '../../api.ts'
import { NoPermission } from '../../components/no-permission.tsx'
import { SideNav } from '../../ui/layout.tsx'
import { findForbiddenPage, getSettingsGroups } from './settings-pages.ts'

export function SettingsLayout() {
  const { account } = useSession()
  // The page that the outlet shows. While another page loads, the location is already that of the new page.
  const pathname = useChildMatches({ select: ([page]) => page?.pathname })
  const forbidden = pathname && findForbiddenPage(account?.role, pathname)
  return (
    <div className="wide:flex wide:gap-10">
      <SideNav label="Settings" groups={getSettingsGroups(account?.role)} />
      <div className="min-w-0 flex-1">
        {forbidden ? <NoPermission title={forbidden.label} permission={forbidden.permission} /> : <Outlet />}
      </div>
    </div>
  )
}
