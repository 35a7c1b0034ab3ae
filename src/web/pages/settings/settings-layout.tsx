import { Outlet, useLocation } from '@tanstack/react-router'
import { useSession } from '../../api.ts'
import { NoPermission } from '../../components/no-permission.tsx'
import { SideNav } from '../../ui/layout.tsx'
import { findForbiddenPage, getSettingsGroups } from './settings-pages.ts'

export function SettingsLayout() {
  const { account } = useSession()
  const { pathname } = useLocation()
  const forbidden = findForbiddenPage(account?.role, pathname)
  return (
    <div className="wide:flex wide:gap-10">
      <SideNav label="Settings" groups={getSettingsGroups(account?.role)} />
      <div className="min-w-0 flex-1">
        {forbidden ? <NoPermission title={forbidden.label} permission={forbidden.permission} /> : <Outlet />}
      </div>
    </div>
  )
}
