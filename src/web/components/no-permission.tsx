import type { Permission } from '../../contract/permissions.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from '../ui/page.tsx'
import { toSentence } from '../ui/sentence.ts'
import { formatRolesWith } from './permission-roles.ts'

/** Replaces a page that the user's role can't open, and names the roles that can. */
export const NoPermission = ({ title, permission }: { title: string; permission: Permission }) => (
  <Page title={title}>
    <EmptyState title="Your role can’t open this page">
      {toSentence(`${formatRolesWith(permission)} can open it`)} An admin can change your role.
    </EmptyState>
  </Page>
)
