import type { Input, OperationName, Output } from '../contract/index.ts'
import { getAccount, updateAccount } from './accounts/account.ts'
import { listAuditLog } from './accounts/audit-log.ts'
import { disconnectApp, listConnectedApps } from './accounts/connected-apps.ts'
import { inviteMember, listInvitations, revokeInvitation } from './accounts/invitations.ts'
import { listMembers, removeMember, updateMember } from './accounts/manage-members.ts'
import { createOwnApiToken, listOwnApiTokens, revokeOwnApiToken } from './accounts/own-api-tokens.ts'
import { endSession, listSessions } from './accounts/sessions.ts'
import {
  deleteSingleSignOn,
  getSingleSignOn,
  setSingleSignOn,
  verifySingleSignOn,
} from './accounts/single-sign-on.ts'
import { updateUser } from './accounts/users.ts'
import { createAssistant, getAssistant, listAssistants, updateAssistant } from './assistants/assistants.ts'
import { verifyAssistant } from './assistants/verify.ts'
import { getCallRequest, listCallRequests } from './calls/call-requests.ts'
import { getCall, listCalls } from './calls/calls.ts'
import { approveCallRequest, declineCallRequest } from './calls/decide-call-request.ts'
import { getCallPolicies } from './calls/get-call-policies.ts'
import { requestCall } from './calls/request-call.ts'
import { triggerAssistantCall } from './calls/trigger-call.ts'
import { createCampaign, getCampaign, listCampaigns } from './campaigns/campaigns.ts'
import { getCampaignKnowledge, updateCampaignKnowledge } from './campaigns/knowledge.ts'
import { archiveCampaign, pauseCampaign, resumeCampaign, unarchiveCampaign } from './campaigns/moves.ts'
import { setCampaignSteps } from './campaigns/set-steps.ts'
import { getCampaignStats } from './campaigns/stats.ts'
import { updateCampaign } from './campaigns/update-campaign.ts'
import { getCompany, listCompanies } from './companies/companies.ts'
import { listConsents, recordConsent, withdrawConsent } from './consents/consents.ts'
import { importConsents } from './consents/import-consents.ts'
import type { Context } from './context.ts'
import { importOptOuts } from './dnc/import-opt-outs.ts'
import { addOptOuts, listOptOuts, removeOptOut } from './dnc/opt-outs.ts'
import { checkDomain } from './domains/check-domain.ts'
import { createDkimKey } from './domains/dkim-keys.ts'
import { createDomain, deleteDomain, getDomain, listDomains } from './domains/domains.ts'
import { findMissing } from './engine/find-missing.ts'
import { launchCampaign } from './engine/launch-campaign.ts'
import { previewCampaign } from './engine/preview-campaign.ts'
import { createEmailDraft, deleteEmailDraft, sendEmailDraft, updateEmailDraft } from './inbox/email-drafts.ts'
import { getEmailMessage, listEmailMessages } from './inbox/email-messages.ts'
import { getEmailThread } from './inbox/email-threads.ts'
import { getLinkedinConversation } from './inbox/linkedin-conversations.ts'
import {
  createLinkedinDraft,
  deleteLinkedinDraft,
  readLinkedinConversation,
  updateLinkedinDraft,
} from './inbox/linkedin-drafts.ts'
import { listLinkedinMessages } from './inbox/linkedin-messages.ts'
import { resolveEmailMessage } from './inbox/resolve-email-message.ts'
import type { Json } from './json.ts'
import {
  createLinkedinAccount,
  deleteLinkedinAccount,
  listLinkedinAccounts,
  updateLinkedinAccount,
} from './linkedin/accounts.ts'
import { importLinkedinMessages } from './linkedin/import-messages.ts'
import { recordLinkedinMessage } from './linkedin/record-message.ts'
import { sendLinkedinDraft } from './linkedin/send-draft.ts'
import {
  createMailbox,
  deleteMailbox,
  getMailbox,
  listMailboxes,
  updateMailbox,
} from './mailboxes/mailboxes.ts'
import { verifyMailbox } from './mailboxes/verify.ts'
import { getPerson, listPersons, updatePerson } from './persons/persons.ts'
import { addProspectsToCampaign } from './prospects/add-prospects.ts'
import { listCampaignProspects } from './prospects/campaign-prospects.ts'
import { getProspect } from './prospects/get-prospect.ts'
import { importProspects } from './prospects/import-prospects.ts'
import { listProspects, pauseProspect, resumeProspect } from './prospects/prospects.ts'
import { deleteReplyAgent, getReplyAgent, setReplyAgent } from './reply-agent/reply-agent.ts'
import { getCampaignReplyUsage, getReplyAgentUsage } from './reply-agent/usage.ts'
import { verifyReplyAgent } from './reply-agent/verify.ts'
import { createRep, getRep, listReps, updateRep } from './reps/reps.ts'
import { assignTags, listTags, unassignTags } from './tags/tags.ts'
import { acceptTask, completeTask, skipTask } from './tasks/end-tasks.ts'
import { getTask, listTasks } from './tasks/tasks.ts'
import { listWebhookDeliveries, replayWebhook, testWebhook } from './webhooks/deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks/webhooks.ts'

export type Handler<N extends OperationName> = (
  ctx: Context,
  input: Input<N>,
) => Promise<Output<N> | Json<Output<N>>>

/** What stands behind each operation of the contract. */
export const handlers: { [N in OperationName]: Handler<N> } = {
  getEmailMessage,
  listEmailMessages,
  getEmailThread,
  createEmailDraft,
  updateEmailDraft,
  deleteEmailDraft,
  sendEmailDraft,
  resolveEmailMessage,
  listLinkedinMessages,
  getLinkedinConversation,
  recordLinkedinMessage,
  importLinkedinMessages,
  readLinkedinConversation,
  createLinkedinDraft,
  updateLinkedinDraft,
  deleteLinkedinDraft,
  sendLinkedinDraft,
  listLinkedinAccounts,
  createLinkedinAccount,
  updateLinkedinAccount,
  deleteLinkedinAccount,
  listTasks,
  getTask,
  completeTask,
  skipTask,
  acceptTask,
  listTags,
  assignTags,
  unassignTags,
  createRep,
  getRep,
  listReps,
  updateRep,
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
  getSingleSignOn,
  setSingleSignOn,
  verifySingleSignOn,
  deleteSingleSignOn,
  getReplyAgent,
  setReplyAgent,
  verifyReplyAgent,
  deleteReplyAgent,
  getReplyAgentUsage,
  getCampaignReplyUsage,
  getCampaignKnowledge,
  updateCampaignKnowledge,
  updateUser,
  listApiTokens: listOwnApiTokens,
  createApiToken: createOwnApiToken,
  revokeApiToken: revokeOwnApiToken,
  listSessions,
  endSession,
  listConnectedApps,
  disconnectApp,
  getAccount,
  updateAccount,
  createCampaign,
  getCampaign,
  getCampaignStats,
  listCampaigns,
  setCampaignSteps,
  updateCampaign,
  archiveCampaign,
  launchCampaign,
  pauseCampaign,
  previewCampaign,
  resumeCampaign,
  unarchiveCampaign,
  createMailbox,
  deleteMailbox,
  getMailbox,
  listMailboxes,
  updateMailbox,
  verifyMailbox,
  getCompany,
  listCompanies,
  checkDomain,
  createDkimKey,
  createDomain,
  deleteDomain,
  getDomain,
  listDomains,
  listConsents,
  recordConsent,
  importConsents,
  withdrawConsent,
  addOptOuts,
  importOptOuts,
  listOptOuts,
  removeOptOut,
  getPerson,
  listPersons,
  updatePerson,
  addProspectsToCampaign: (ctx, input) => addProspectsToCampaign(ctx, input, findMissing),
  importProspects: (ctx, input) => importProspects(ctx, input, findMissing),
  getProspect,
  listCampaignProspects,
  listProspects,
  pauseProspect,
  resumeProspect,
  createAssistant,
  getAssistant,
  listAssistants,
  updateAssistant,
  verifyAssistant,
  getCall,
  getCallPolicies,
  listCalls,
  triggerAssistantCall,
  approveCallRequest,
  declineCallRequest,
  getCallRequest,
  listCallRequests,
  requestCall,
}
