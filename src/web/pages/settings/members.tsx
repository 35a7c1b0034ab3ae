import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import type { Role } from '../../../contract/permissions.ts'
import { sessionQuery, useOperationMutation, usePages, usePermission, useSession } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Invitations, InviteDialog } from './invitations.tsx'
import { roleLabels } from './role-labels.ts'
import { useAssignableRoles } from './use-assignable-roles.ts'

type Member = Output<'listMembers'>['data'][number]

export function MembersPage() {
  const { query, more } = usePages('listMembers', {})
  const { account } = useSession()
  const canManage = usePermission('Account.ManageMembers')
  const roles = useAssignableRoles()
  const canChange = ({ role }: Member) => canManage && roles.includes(role)
  const [isInviting, setInviting] = useState(false)
  const [removing, setRemoving] = useState<Member>()
  return (
    <Page
      title="Members"
      intro={`People with access to ${account?.name}, and their roles.`}
      action={
        canManage && (
          <Button look="primary" onClick={() => setInviting(true)}>
            Invite member
          </Button>
        )
      }
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {rows => (
          <Table
            label="Members"
            rows={rows}
            more={more}
            columns={[
              { head: 'Name', cell: member => <NameCell member={member} /> },
              { head: 'Joined', cell: ({ createdAt }) => <Time at={createdAt} />, isMinor: true },
              {
                head: 'Role',
                cell: member =>
                  canChange(member) ? <RoleSelect member={member} roles={roles} /> : roleLabels[member.role],
              },
              {
                head: '',
                cell: member =>
                  canChange(member) && (
                    <Button
                      size="small"
                      aria-label={`Remove ${member.name}`}
                      onClick={() => setRemoving(member)}
                    >
                      Remove
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {canManage && <Invitations />}
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
      <RemoveDialog member={removing} onClose={() => setRemoving(undefined)} />
    </Page>
  )
}

function NameCell({ member: { id, name, email } }: { member: Member }) {
  const { user } = useSession()
  return (
    <>
      <span className="flex items-center gap-2">
        {name}
        {id === user.id && <Badge tone="accent">You</Badge>}
      </span>
      <span className="block break-all font-normal text-muted">{email}</span>
    </>
  )
}

/**
 * Changes the role immediately. The toast offers an undo, except for the user's own role: their new role may not let
 * them restore the old one.
 */
function RoleSelect({ member, roles }: { member: Member; roles: Role[] }) {
  const update = useOperationMutation('updateMember', 'listMembers')
  const cache = useQueryClient()
  const { user } = useSession()
  const setRole = async (role: Role): Promise<boolean> =>
    update({ memberId: member.id, role }).then(
      () => true,
      error => {
        showToast(error.message)
        return false
      },
    )
  const handleChange = async (role: Role) => {
    if (!(await setRole(role))) return
    const isSelf = member.id === user.id
    const text = `${isSelf ? 'You are' : `${member.name} is`} now ${/^[ao]/.test(role) ? 'an' : 'a'} ${role}.`
    showToast(text, isSelf ? undefined : () => void setRole(member.role))
    if (isSelf) await cache.invalidateQueries(sessionQuery)
  }
  return (
    <select
      aria-label={`Role of ${member.name}`}
      value={member.role}
      onChange={event => void handleChange(event.target.value as Role)}
      className="h-7 rounded-control border border-edge bg-surface px-2"
    >
      {roles.map(role => (
        <option key={role} value={role}>
          {roleLabels[role]}
        </option>
      ))}
    </select>
  )
}

function RemoveDialog({ member, onClose }: { member: Member | undefined; onClose: () => void }) {
  const remove = useOperationMutation('removeMember', 'listMembers')
  const { user } = useSession()
  const isSelf = member?.id === user.id
  return (
    <ConfirmDialog
      isOpen={member !== undefined}
      title={isSelf ? 'Leave this account?' : `Remove ${member?.name}?`}
      confirm={isSelf ? 'Leave account' : 'Remove member'}
      onCancel={onClose}
      onConfirm={async () => {
        await remove({ memberId: member!.id })
        if (isSelf) location.assign('/')
        else showToast(`${member!.name} is no longer a member.`)
        onClose()
      }}
    >
      {isSelf ? 'You lose' : 'They lose'} access to this account immediately, including by API token.{' '}
      {isSelf ? 'Your' : 'Their'} work is kept.
    </ConfirmDialog>
  )
}
