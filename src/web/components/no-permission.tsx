import type { Permission } from '../../contract/permissions.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from '../ui/page.tsx'
import { toSentence } from '../ui/sentence.ts'
import { formatRolesWith } from './permission-roles.ts'

/** A page that the user's role may not open, which says who may. */
export const NoPermission = ({ title, permission }: { title: string; permission: Permission }) => (
  <Page title={title}>
    <EmptyState title="Your role can’t open this page">
      {toSentence(`${formatRolesWith(permission)} can open it`)} An admin can change your role.
    </EmptyState>
  </Page>
)
