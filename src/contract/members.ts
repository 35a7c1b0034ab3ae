import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, optionalText, pageInput, pageSchema, text, time, timeInput } from './page.ts'
import { roles } from './permissions.ts'

const tag = 'Members'
const role = z.enum(roles)

const member = z
  .object({ ...base('member'), email: z.string(), name: z.string(), role })
  .describe('A user of this account; `id` is the user ID')
  .meta({ id: 'Member' })

export const listMembers = operation({
  method: 'GET',
  path: '/members',
  summary: 'List members',
  description: 'Lists the users of the account with their roles.',
  tag,
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: z.strictObject(pageInput),
  output: pageSchema(member, 'Member'),
})

export const updateMember = operation({
  method: 'PATCH',
  path: '/members/{memberId}',
  summary: "Update a member's role",
  description:
    'Only owners may change owners, and an account keeps at least one. Promoting someone to admin or owner requires a web session with a sign-in within the last ten minutes; API tokens may set the other roles.',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  input: z.strictObject({
    memberId: id.describe('Member ID, which is the user ID'),
    role: role.describe('New role'),
  }),
  output: member,
  example: { input: { role: 'manager' } },
})

export const removeMember = operation({
  method: 'DELETE',
  path: '/members/{memberId}',
  summary: 'Remove a member',
  description:
    'Keeps their work, and their name and email address for the audit log. Their reps have no owner until you assign one.',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  input: z.strictObject({ memberId: id.describe('Member ID, which is the user ID') }),
  output: done,
})

const invitation = z
  .object({
    ...base('invitation'),
    email: z.string(),
    role,
    invitedBy: z.string().optional().describe('Name of the inviting user'),
    expiresAt: time,
  })
  .meta({ id: 'Invitation' })

export const listInvitations = operation({
  method: 'GET',
  path: '/invitations',
  summary: 'List pending invitations',
  description: 'Lists invitations that are neither accepted nor expired.',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  input: z.strictObject(pageInput),
  output: pageSchema(invitation, 'Invitation'),
})

export const inviteMember = operation({
  method: 'POST',
  path: '/invitations',
  summary: 'Invite a member',
  description:
    'Emails a link, or returns it if the server cannot send email. The link works for 7 days and only for this address; inviting the address again replaces it. Inviting an admin or owner requires a web session with a sign-in within the last ten minutes; API tokens may invite the other roles.',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  isRemote: true,
  input: z.strictObject({
    email: text(320).describe('Email address to invite'),
    role: role.describe('Role of the new member'),
  }),
  output: invitation
    .extend({
      link: z.string().optional().describe('Returned only once, and only if the server sends no email'),
    })
    .meta({ id: 'NewInvitation' }),
  example: { input: { email: 'grace@acme.example', role: 'manager' } },
})

export const revokeInvitation = operation({
  method: 'DELETE',
  path: '/invitations/{invitationId}',
  summary: 'Revoke an invitation',
  description: 'Its link stops working immediately.',
  tag,
  extension: true,
  permission: 'Account.ManageMembers',
  input: z.strictObject({ invitationId: id.describe('Invitation ID') }),
  output: done,
})

/** The type of an object whose changes are in the audit log. */
export type AuditedType =
  | 'account'
  | 'api_token'
  | 'assistant'
  | 'attachment'
  | 'call'
  | 'call_request'
  | 'campaign'
  | 'communication_opt_out'
  | 'company'
  | 'consent'
  | 'conversation'
  | 'custom_field'
  | 'dkim_key'
  | 'domain'
  | 'email_message'
  | 'email_thread'
  | 'export'
  | 'invitation'
  | 'linkedin_account'
  | 'linkedin_conversation'
  | 'linkedin_message'
  | 'mail_client'
  | 'mailbox'
  | 'meeting'
  | 'meeting_webhook'
  | 'member'
  | 'note'
  | 'notification_settings'
  | 'oauth_grant'
  | 'passkey'
  | 'person'
  | 'prospect'
  | 'rep'
  | 'reply_agent'
  | 'saved_view'
  | 'session'
  | 'single_sign_on'
  | 'snippet'
  | 'tag'
  | 'task'
  | 'user'
  | 'webhook'

const auditEntry = z
  .object({
    ...base('audit_entry'),
    actor: z
      .string()
      .describe(
        '`session:…`, `token:…`, `oauth:…`, `sign-in`, `cli`, `engine`, or `system` for a consequence of another change',
      ),
    userEmail: z
      .string()
      .optional()
      .describe(
        'Email address of the responsible user; for a former member, the address when they were removed',
      ),
    userName: z
      .string()
      .optional()
      .describe('Name of the responsible user; for a former member, the name when they were removed'),
    appName: z.string().optional().describe('Name of the connected app that acted for the user'),
    action: z.string(),
    auditedType: z.string().optional().describe('Type of the changed object'),
    auditedId: z.string().optional(),
    auditedName: z
      .string()
      .optional()
      .describe(
        'Current name or address of the changed object, or that of a member when they were removed; absent when it has none or was deleted',
      ),
    address: z.string().optional(),
    requestId: z.string().optional(),
  })
  .meta({ id: 'AuditEntry' })

export const listAuditLog = operation({
  method: 'GET',
  path: '/audit-log',
  summary: 'List audit log entries',
  description:
    'Lists who changed what, when and from where, newest first. `userId` includes what connected apps and API tokens did for the user.',
  tag: 'Account',
  extension: true,
  permission: 'Account.ReadAuditLog',
  input: z.strictObject({
    ...pageInput,
    userId: id.optional().describe('Only changes for which this user is responsible'),
    auditedType: optionalText(50).describe('Only changes of objects of this type, such as `campaign`'),
    action: optionalText(100).describe('Only changes of this kind, such as `delete`'),
    since: timeInput.optional().describe('Only changes at or after this time'),
    until: timeInput.optional().describe('Only changes before this time'),
  }),
  output: pageSchema(auditEntry, 'AuditEntry'),
})
