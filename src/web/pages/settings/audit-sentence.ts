import type { Output } from '../../../contract/index.ts'

type Entry = Pick<Output<'listAuditLog'>['data'][number], 'action' | 'auditedType' | 'actor'> &
  Partial<Output<'listAuditLog'>['data'][number]>

/** A sentence about a change: the words before and after the name of the object. */
export type AuditSentence = { actor: string; before: string; after?: string }

/** Describes an entry in plain words, as in "Ada Byron changed the daily limit of mailbox … from 30 to 50". */
export function toAuditSentence(entry: Entry): AuditSentence {
  const { action, auditedType = '' } = entry
  const actor = getActorName(entry)
  const limit = /^change (?<what>.+) from (?<from>\S+) to (?<to>\S+)$/.exec(action)?.groups
  const object = objectLabels[auditedType] ?? auditedType.replaceAll('_', ' ')
  if (limit) {
    const before = `changed ${limit.what} of ${object}`
    return { actor, before, after: `from ${limit.from} to ${limit.to}` }
  }
  const [, verb = '', role] = /^(make|invite as|join as|add as) (\w+)$/.exec(action) ?? []
  if (verb === 'make') return { actor, before: 'changed the role of', after: `to ${role}` }
  if (verb === 'invite as') return { actor, before: 'invited', after: `as ${role}` }
  if (verb === 'join as') return { actor, before: `joined as ${role}:` }
  if (verb === 'add as') return { actor, before: 'added member', after: `as ${role}` }
  if (action === 'mark_failing') return { actor, before: `marked ${object}`, after: 'as failing' }
  const phrase = phrases[`${action} ${auditedType}`] ?? phrases[action]
  if (phrase) return { actor, before: phrase }
  const past = pastTenses[action] ?? `${action.replaceAll('_', ' ')}:`
  return { actor, before: `${past} ${object}`.trim() }
}

/** Returns who made the change: a user, an app that acted for them, an operator, or Overture itself. */
function getActorName({ actor, userName, userEmail, appName }: Entry): string {
  const [kind = ''] = actor.split(':')
  const user = userName ?? userEmail
  if (kind === 'oauth') return [appName ?? 'A connected app', user && `for ${user}`].filter(Boolean).join(' ')
  if (kind === 'cli') return user ? `${user} (command line)` : 'An operator'
  return user ?? (kind === 'session' || kind === 'token' ? 'A former member' : 'Overture')
}

const objectLabels: Record<string, string> = {
  account: 'the settings of account',
  api_token: 'API token',
  attachment: 'an attachment',
  call: 'a call',
  call_request: 'a call request',
  communication_opt_out: 'a Do Not Contact entry',
  consent: 'a call consent',
  conversation: 'a conversation',
  custom_field: 'custom field',
  dkim_key: 'a DKIM key',
  email_message: 'an email',
  export: 'an export',
  linkedin_account: 'a LinkedIn account',
  linkedin_conversation: 'a LinkedIn conversation',
  linkedin_message: 'a LinkedIn message',
  mail_client: 'an OAuth client',
  meeting: 'a meeting',
  meeting_webhook: 'the meeting webhook',
  note: 'a note',
  oauth_grant: 'app',
  passkey: 'a passkey',
  reply_agent: 'the reply agent',
  session: 'a session',
  single_sign_on: 'single sign-on',
  task: 'a task',
  user: 'user',
}

/** Phrases for actions that need their own wording. A phrase includes the object if the object has no name. */
const phrases: Record<string, string> = {
  'create account': 'created account',
  fill_with_demo: 'added the demo data to account',
  'pause sending': 'paused all sending for account',
  'resume sending': 'resumed all sending for account',
  'turn on the daily mail': 'turned on the daily email for',
  'turn off the daily mail': 'turned off the daily email for',
  'update user': 'changed the profile of',
  add_alias: 'added an alias to mailbox',
  remove_alias: 'removed an alias from mailbox',
  complete_connection: 'completed the sign-in to mailbox',
  add_prospects: 'added prospects to campaign',
  set_steps: 'changed the steps of campaign',
  set_knowledge: 'changed the knowledge of campaign',
  choose_variant: 'chose the winning variant in campaign',
  send_test_email: 'sent a test email from campaign',
  import_linkedin: 'imported LinkedIn messages for rep',
  assign_tags: 'added tags to',
  unassign_tags: 'removed tags from',
  rotate_secret: 'changed the secret of webhook',
  replay: 'resent events to webhook',
  'test webhook': 'sent a test event to webhook',
  disable_gone: 'disabled a webhook whose endpoint is gone:',
  disable_failing: 'disabled a webhook that kept failing:',
  start_signing: 'started signing with a DKIM key',
  prove_domain: 'verified the single sign-on domain',
  'verify_failed reply_agent': 'found a problem with the reply agent',
  'log call': 'logged a call',
  'import person': 'imported people',
  'import consent': 'imported call consents',
  'import communication_opt_out': 'imported Do Not Contact entries',
  'add communication_opt_out': 'added Do Not Contact entries',
  'suppress email_message': 'stopped emails to an address that bounced',
  resolve_sent: 'marked an email as sent',
  resolve_failed: 'marked an email as not sent',
  resolve_send_again: 'sent an unconfirmed email again',
  request_approval: 'requested approval of a draft',
  draft_reply: 'drafted a reply',
  opt_out: 'recorded an opt-out request',
  'register invitation': 'created a user with the invitation for',
  change_password: 'changed the password of',
  reset_password: 'reset the password of',
  enable_totp: 'turned on sign-in codes for',
  disable_totp: 'turned off sign-in codes for',
  sign_out_everywhere: 'signed out everywhere:',
  add_passkey: 'added a passkey for',
  remove_passkey: 'removed a passkey of',
}

/** The past tense of each action. */
export const pastTenses: Record<string, string> = {
  accept: 'accepted',
  approve: 'approved',
  archive: 'archived',
  cancel: 'cancelled',
  check: 'checked',
  complete: 'completed',
  connect: 'connected',
  create: 'created',
  decline: 'declined',
  delete: 'deleted',
  disconnect: 'disconnected',
  duplicate: 'duplicated',
  end: 'ended',
  erase: 'erased',
  launch: 'launched',
  mark_failing: 'marked as failing',
  merge: 'merged',
  move: 'moved',
  pause: 'paused',
  place: 'placed',
  read: 'read',
  record: 'recorded',
  refuse: 'refused',
  remove: 'removed',
  request: 'requested',
  resume: 'resumed',
  revoke: 'revoked',
  send: 'sent',
  set: 'set up',
  skip: 'skipped',
  stop: 'stopped',
  trigger: 'started',
  unarchive: 'unarchived',
  update: 'changed',
  verify: 'verified',
  withdraw: 'withdrew',
}
