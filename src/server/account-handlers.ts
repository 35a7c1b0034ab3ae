import type { Input } from '../contract/index.ts'
import { getAccount, updateAccount } from './domain/accounts/account.ts'
import { listAuditLog } from './domain/accounts/audit-log.ts'
import { listMembers, removeMember, updateMember } from './domain/accounts/members.ts'
import { updateUser } from './domain/accounts/users.ts'
import { createOwnApiToken, listOwnApiTokens, revokeOwnApiToken } from './domain/auth/api-tokens.ts'
import { disconnectApp, listConnectedApps } from './domain/auth/connected-apps.ts'
import { inviteMember, listInvitations, revokeInvitation } from './domain/auth/invitations.ts'
import { getMe } from './domain/auth/me.ts'
import { endSession, listSessions } from './domain/auth/sessions.ts'
import {
  deleteSingleSignOn,
  getSingleSignOn,
  setSingleSignOn,
  verifySingleSignOn,
} from './domain/auth/single-sign-on.ts'
import { rescheduleAccount } from './domain/linkedin/reschedule-steps.ts'
import { listMeetingWebhooks, setMeetingWebhook } from './domain/meetings/meeting-webhooks.ts'
import {
  getNotificationSettings,
  updateNotificationSettings,
} from './domain/notifications/notification-settings.ts'
import { listNotifications, readNotifications } from './domain/notifications/notifications.ts'
import { deleteReplyAgent, getReplyAgent, setReplyAgent } from './domain/reply-agent/reply-agent.ts'
import { verifyReplyAgent } from './domain/reply-agent/verify-reply-agent.ts'
import { countWaiting } from './domain/reports/count-waiting.ts'
import { deleteExport, exportData, getExport } from './domain/reports/exports.ts'
import { listProblems } from './domain/reports/problems.ts'
import {
  createSavedView,
  deleteSavedView,
  listSavedViews,
  updateSavedView,
} from './domain/saved-views/saved-views.ts'
import {
  createSnippet,
  deleteSnippet,
  getSnippet,
  listSnippets,
  updateSnippet,
} from './domain/snippets/snippets.ts'
import { listWebhookDeliveries } from './domain/webhooks/deliveries.ts'
import { listEvents } from './domain/webhooks/events.ts'
import { replayWebhook } from './domain/webhooks/replay-webhook.ts'
import { testWebhook } from './domain/webhooks/test-webhook.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './domain/webhooks/webhooks.ts'
import type { Context } from './kernel/context.ts'

/** Handlers for operations on the account itself, its users and its integrations; part of `handlers.ts`. */
export const accountHandlers = {
  listMembers,
  updateMember,
  removeMember,
  listInvitations,
  inviteMember,
  revokeInvitation,
  listAuditLog,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  replayWebhook,
  listEvents,
  listSnippets,
  getSnippet,
  createSnippet,
  updateSnippet,
  deleteSnippet,
  listSavedViews,
  createSavedView,
  updateSavedView,
  deleteSavedView,
  getReplyAgent,
  setReplyAgent,
  verifyReplyAgent,
  deleteReplyAgent,
  exportData,
  getExport,
  deleteExport,
  listMeetingWebhooks,
  setMeetingWebhook,
  getSingleSignOn,
  setSingleSignOn,
  verifySingleSignOn,
  deleteSingleSignOn,
  getMe: (ctx: Context) => getMe(ctx, { countWaiting, listProblems }),
  updateUser,
  getNotificationSettings,
  updateNotificationSettings,
  listNotifications,
  readNotifications,
  listSessions,
  endSession,
  listConnectedApps,
  disconnectApp,
  getAccount,
  listProblems,
  updateAccount: (ctx: Context, input: Input<'updateAccount'>) =>
    updateAccount(ctx, input, rescheduleAccount),
  listApiTokens: listOwnApiTokens,
  createApiToken: createOwnApiToken,
  revokeApiToken: revokeOwnApiToken,
}
