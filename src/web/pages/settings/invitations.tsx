import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { inviteMember } from '../../../contract/members.ts'
import { useInvalidate, useOperationMutation, usePages } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CopyBox } from '../../ui/copy-box.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { roleLabels } from './role-labels.ts'
import { useAssignableRoles } from './use-assignable-roles.ts'

type Invitation = Output<'listInvitations'>['data'][number]

/** Lists pending invitations. Hidden when there are none. */
export function Invitations() {
  const { query, more } = usePages('listInvitations', {})
  const [revoking, setRevoking] = useState<Invitation>()
  if (!query.data || query.data.length === 0) return null
  return (
    <Section title="Pending invitations">
      <Table
        label="Invitations"
        rows={query.data}
        more={more}
        columns={[
          { head: 'Email', cell: ({ email }) => email },
          { head: 'Role', cell: ({ role }) => roleLabels[role] },
          { head: 'Invited by', cell: ({ invitedBy }) => invitedBy, isMinor: true },
          { head: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            head: '',
            cell: invitation => (
              <Button
                size="small"
                aria-label={`Revoke invitation for ${invitation.email}`}
                onClick={() => setRevoking(invitation)}
              >
                Revoke
              </Button>
            ),
          },
        ]}
      />
      <RevokeDialog invitation={revoking} onClose={() => setRevoking(undefined)} />
    </Section>
  )
}

function RevokeDialog({ invitation, onClose }: { invitation: Invitation | undefined; onClose: () => void }) {
  const revoke = useOperationMutation('revokeInvitation', 'listInvitations')
  return (
    <ConfirmDialog
      isOpen={invitation !== undefined}
      title="Revoke this invitation?"
      confirm="Revoke invitation"
      onCancel={onClose}
      onConfirm={async () => {
        await revoke({ invitationId: invitation!.id })
        showToast('Invitation revoked.')
        onClose()
      }}
    >
      The invitation link for {invitation?.email} stops working.
    </ConfirmDialog>
  )
}

/** Summaries of the roles; the API documentation lists their exact permissions. */
const roleDescriptions = {
  viewer: 'can view everything',
  member: 'manages prospects and their own conversations',
  manager: 'manages campaigns and works for all reps',
  admin: 'also manages members and settings',
  owner: 'has full access',
}

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [link, setLink] = useState<string>()
  const close = () => {
    onClose()
    setLink(undefined)
  }
  const handleInvited = ({ email, link }: Output<'inviteMember'>) => {
    if (link) return setLink(new URL(link, location.origin).href)
    showToast(`Invitation sent to ${email}.`)
    close()
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={link ? 'Send the invitation link' : 'Invite member'}>
      {link ? (
        <div className="grid gap-5">
          <CopyBox value={link} label="Invitation link">
            This link is shown only once and works once. Anyone who opens it can join the account, so send it
            only to the person you invited.
          </CopyBox>
          <Button look="primary" className="justify-self-start" onClick={close}>
            Done
          </Button>
        </div>
      ) : (
        <InviteForm onInvited={handleInvited} />
      )}
    </Dialog>
  )
}

function InviteForm({ onInvited }: { onInvited: (invited: Output<'inviteMember'>) => void }) {
  const invite = useOperationMutation('inviteMember')
  const refresh = useInvalidate('listInvitations')
  const form = useSchemaForm(inviteMember.input, {
    values: { email: '', role: 'member' },
    // Refetch even after a failure: the invitation is saved even if its email could not be sent.
    onSubmit: async input => onInvited(await invite(input).finally(refresh)),
  })
  return (
    <FormBody form={form} submit="Invite member">
      <TextField label="Email" type="email" autoComplete="off" {...form.field('email')} />
      <SelectField label="Role" {...form.field('role')}>
        {useAssignableRoles().map(role => (
          <option key={role} value={role}>
            {roleLabels[role]}: {roleDescriptions[role]}
          </option>
        ))}
      </SelectField>
    </FormBody>
  )
}
