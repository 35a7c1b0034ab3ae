import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, pageInput, pageOf, text, time } from './page.ts'
import { roles } from './permissions.ts'

const tag = 'Members'
const role = z.enum(roles)

const member = z
  .object({ ...base('member'), email: z.string(), name: z.string(), role })
  .describe('A user in this account; the id is the user’s')
  .meta({ id: 'Member' })

export const listMembers = operation({
  method: 'GET',
  path: '/members',
  summary: 'List who is in the account',
  tag,
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: z.strictObject(pageInput),
  output: pageOf(member, 'Member'),
})

export const updateMember = operation({
  method: 'PATCH',
  path: '/members/{memberId}',
  summary: "Change a member's role",
  description:
    'Owners are changed by owners alone, and an account keeps at least one. Making somebody an admin or owner needs a session of the web app with a sign-in of the last ten minutes; API tokens set the other roles.',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  input: z.strictObject({ memberId: id, role }),
  output: member,
  example: { input: { role: 'manager' } },
})

export const removeMember = operation({
  method: 'DELETE',
  path: '/members/{memberId}',
  summary: 'Take a member out of the account',
  description: 'What they did stays, and their reps stay theirs until somebody else is named.',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  input: z.strictObject({ memberId: id }),
  output: done,
})

const invitation = z
  .object({
    ...base('invitation'),
    email: z.string(),
    role,
    invitedBy: z.string().optional().describe('Name of who invited'),
    expiresAt: time,
  })
  .meta({ id: 'Invitation' })

export const listInvitations = operation({
  method: 'GET',
  path: '/invitations',
  summary: 'List invitations that nobody took up yet',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  input: z.strictObject(pageInput),
  output: pageOf(invitation, 'Invitation'),
})

export const inviteMember = operation({
  method: 'POST',
  path: '/invitations',
  summary: 'Invite somebody into the account',
  description:
    'Sends them a link by mail, where the server is set up to send mail; else the answer contains the link for you to pass on. The link works for 7 days and for that address alone. Inviting an address again voids its older link. Inviting an admin or owner needs a session of the web app with a sign-in of the last ten minutes; API tokens invite the other roles.',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  isRemote: true,
  input: z.strictObject({ email: text(320), role }),
  output: invitation
    .extend({
      link: z.string().optional().describe('In this answer alone, and only where the server sends no mail'),
    })
    .meta({ id: 'NewInvitation' }),
  example: { input: { email: 'grace@acme.example', role: 'manager' } },
})

export const revokeInvitation = operation({
  method: 'DELETE',
  path: '/invitations/{invitationId}',
  summary: 'Take an invitation back',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  input: z.strictObject({ invitationId: id }),
  output: done,
})

const auditEntry = z
  .object({
    ...base('audit_entry'),
    actor: z
      .string()
      .describe(
        '`session:…`, `token:…`, `oauth:…`, `sign-in`, `cli`, `engine`, or `system` for what follows from another change',
      ),
    userEmail: z.string().optional().describe('Who answers for it'),
    action: z.string(),
    auditedType: z.string().optional().describe('What kind of thing was changed'),
    auditedId: z.string().optional(),
    address: z.string().optional(),
    requestId: z.string().optional(),
  })
  .meta({ id: 'AuditEntry' })

export const listAuditLog = operation({
  method: 'GET',
  path: '/audit-log',
  summary: 'List what was changed in the account, and by whom',
  tag: 'Account',
  extension: true,
  permission: 'Account.ReadAuditLog',
  input: z.strictObject(pageInput),
  output: pageOf(auditEntry, 'AuditEntry'),
})
