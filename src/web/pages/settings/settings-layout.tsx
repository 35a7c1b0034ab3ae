import { Outlet } from '@tanstack/react-router'
import { useSession } from '../../api.ts'
import { SideNav } from '../../ui/layout.tsx'
import { getSettingsGroups } from './settings-pages.ts'

export function SettingsLayout() {
  const { account } = useSession()
  return (
    <div className="wide:flex wide:gap-10">
      <SideNav label="Settings" groups={getSettingsGroups(account?.role)} />
      <div className="min-w-0 max-w-5xl flex-1">
        <Outlet />
      </div>
    </div>
  )
}
