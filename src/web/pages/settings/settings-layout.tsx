import { Outlet } from '@tanstack/react-router'
import { getPermissionScope } from '../../../contract/permissions.ts'
import { useSession } from '../../api.ts'
import { Tabs } from '../../ui/layout.tsx'
import { settingsPages } from './settings-pages.ts'

export function SettingsLayout() {
  const { account } = useSession()
  const pages = settingsPages.filter(
    ({ permission }) => !permission || (account && getPermissionScope(account.role, permission)),
  )
  return (
    <>
      <Tabs label="Settings" items={pages} />
      <Outlet />
    </>
  )
}
