import type { Input, OperationName, Output } from '../contract/index.ts'
import { accountHandlers } from './account-handlers.ts'
import { pauseSending, resumeSending } from './domain/accounts/sending.ts'
import {
  createAssistant,
  getAssistant,
  listAssistants,
  updateAssistant,
} from './domain/assistants/assistants.ts'
import { verifyAssistant } from './domain/assistants/verify-assistant.ts'
import { getCallPolicies } from './domain/calls/call-policies.ts'
import {
  approveCallRequest,
  declineCallRequest,
  getCallRequest,
  listCallRequests,
  requestCall,
} from './domain/calls/call-requests.ts'
import { getCall, listCalls } from './domain/calls/calls.ts'
import { cancelCall } from './domain/calls/cancel-call.ts'
import { logCall } from './domain/calls/log-call.ts'
import { updateQueuedCalls } from './domain/calls/postpone-call.ts'
import { withdrawCalls } from './domain/calls/step-calls.ts'
import { triggerAssistantCall } from './domain/calls/trigger-assistant-call.ts'
import { archiveCampaign } from './domain/campaigns/archive-campaign.ts'
import { createCampaign, getCampaign } from './domain/campaigns/campaigns.ts'
import { deleteCampaign } from './domain/campaigns/delete-campaign.ts'
import { duplicateCampaign } from './domain/campaigns/duplicate-campaign.ts'
import { forbidAppResumedCalls } from './domain/campaigns/forbid-app-triggered-calls.ts'
import { getCampaignKnowledge, updateCampaignKnowledge } from './domain/campaigns/knowledge.ts'
import { launchCampaign } from './domain/campaigns/launch-campaign.ts'
import { listCampaigns } from './domain/campaigns/list-campaigns.ts'
import { pauseCampaign } from './domain/campaigns/pause-campaign.ts'
import { resumeCampaign } from './domain/campaigns/resume-campaign.ts'
import { listSequenceTemplates } from './domain/campaigns/sequence-templates.ts'
import { setCampaignSteps } from './domain/campaigns/set-campaign-steps.ts'
import { getCampaignStats } from './domain/campaigns/stats.ts'
import { unarchiveCampaign } from './domain/campaigns/unarchive-campaign.ts'
import { updateCampaign } from './domain/campaigns/update-campaign.ts'
import { updateCampaignStep } from './domain/campaigns/update-campaign-step.ts'
import { checkDomain } from './domain/domains/check-domain.ts'
import { createDkimKey } from './domain/domains/dkim-keys.ts'
import { getDmarcResults } from './domain/domains/dmarc-results.ts'
import { createDomain, deleteDomain, getDomain, listDomains } from './domain/domains/domains.ts'
import { forecastCampaign, forecastFirstSend } from './domain/forecast/forecast-campaign.ts'
import { composeEmail } from './domain/inbox/compose-email.ts'
import { getConversationCounts } from './domain/inbox/conversation-counts.ts'
import { getConversation, listConversations, updateConversations } from './domain/inbox/conversations.ts'
import {
  createEmailDraft,
  deleteEmailDraft,
  sendEmailDraft,
  updateEmailDraft,
} from './domain/inbox/email-drafts.ts'
import { getEmailMessage, listEmailMessages } from './domain/inbox/email-messages.ts'
import { getEmailThread } from './domain/inbox/email-threads.ts'
import {
  getLinkedinConversation,
  markLinkedinConversationRead,
} from './domain/inbox/linkedin-conversations.ts'
import {
  createLinkedinDraft,
  deleteLinkedinDraft,
  updateLinkedinDraft,
} from './domain/inbox/linkedin-drafts.ts'
import { listLinkedinMessages } from './domain/inbox/linkedin-messages.ts'
import { resolveEmailMessage } from './domain/inbox/resolve-email-message.ts'
import {
  createLinkedinAccount,
  deleteLinkedinAccount,
  listLinkedinAccounts,
  updateLinkedinAccount,
} from './domain/linkedin/accounts.ts'
import { importLinkedinMessages } from './domain/linkedin/import-messages.ts'
import { recordLinkedinMessage } from './domain/linkedin/record-message.ts'
import { rescheduleSteps } from './domain/linkedin/reschedule-steps.ts'
import { sendLinkedinDraft } from './domain/linkedin/send-draft.ts'
import { addMailboxAlias, removeMailboxAlias } from './domain/mailboxes/aliases.ts'
import { completeMailboxConnection } from './domain/mailboxes/complete-mailbox-connection.ts'
import { connectMailbox } from './domain/mailboxes/connect-mailbox.ts'
import { discoverMailSettings } from './domain/mailboxes/discover-mail-settings.ts'
import { deleteMailClient, listMailClients, setMailClient } from './domain/mailboxes/mail-clients.ts'
import {
  createMailbox,
  deleteMailbox,
  getMailbox,
  listMailboxes,
  updateMailbox,
} from './domain/mailboxes/mailboxes.ts'
import { resumeMailbox } from './domain/mailboxes/resume-mailbox.ts'
import { verifyMailbox } from './domain/mailboxes/verify-mailbox.ts'
import { lockBouncedSteps, releaseBouncedSteps } from './domain/outbox/bounced-steps.ts'
import { countInFlight } from './domain/outbox/in-flight.ts'
import { expediteRetries } from './domain/outbox/sends.ts'
import {
  withdrawMailboxSteps,
  withdrawQueuedEmails,
  withdrawQueuedSteps,
} from './domain/outbox/withdraw-queued.ts'
import { previewCampaign } from './domain/preview/preview-campaign.ts'
import { sendTestEmail } from './domain/preview/send-test-email.ts'
import { addProspectsToCampaign } from './domain/prospects/add-prospects.ts'
import { revertStep } from './domain/prospects/advance-prospects.ts'
import { listCampaignProspects } from './domain/prospects/campaign-prospects.ts'
import { completeCampaign } from './domain/prospects/complete-campaign.ts'
import { getProspect } from './domain/prospects/get-prospect.ts'
import { importProspects } from './domain/prospects/import-prospects.ts'
import {
  countOpenProspects,
  releaseRiskyAddresses,
  retryFailedRendering,
  retryIncompleteForRep,
} from './domain/prospects/incomplete.ts'
import { moveProspects } from './domain/prospects/move-prospects.ts'
import { pauseProspect, pauseProspects } from './domain/prospects/pause-prospects.ts'
import { listProspects } from './domain/prospects/prospects.ts'
import { rescheduleProspects } from './domain/prospects/reschedule.ts'
import { resumeProspect, resumeProspects } from './domain/prospects/resume-prospects.ts'
import { stopProspects } from './domain/prospects/stop-prospects.ts'
import { deleteProspects } from './domain/prospects/write-prospects.ts'
import { failIncompleteProspects } from './domain/rendering/fail-incomplete-prospects.ts'
import { findMissing } from './domain/rendering/find-missing.ts'
import { getCampaignReplyUsage, getReplyAgentUsage } from './domain/reply-agent/reply-usage.ts'
import { getReport } from './domain/reports/report.ts'
import { search } from './domain/reports/search.ts'
import { createRep, getRep, listReps, updateRep } from './domain/reps/reps.ts'
import { assignTags, ensureTags, unassignTags } from './domain/tags/tags.ts'
import { acceptTask } from './domain/tasks/accept-task.ts'
import { completeTask } from './domain/tasks/complete-task.ts'
import { createTask } from './domain/tasks/create-task.ts'
import { skipTask } from './domain/tasks/skip-task.ts'
import { getTask, listTasks } from './domain/tasks/tasks.ts'
import { updateTask } from './domain/tasks/update-task.ts'
import { deleteOpenTasks } from './domain/tasks/write-tasks.ts'
import type { Context } from './kernel/context.ts'
import type { Json } from './kernel/json.ts'
import { peopleHandlers } from './people-handlers.ts'

export type Handler<N extends OperationName> = (
  ctx: Context,
  input: Input<N>,
) => Promise<Output<N> | Json<Output<N>>>

const withdrawEffects = { withdrawQueuedEmails, deleteOpenTasks, revertStep }

const stepEffects = { ...withdrawEffects, rescheduleProspects, retryFailedRendering, withdrawCalls }

/** The function that handles each operation of the contract. */
export const handlers: { [N in OperationName]: Handler<N> } = {
  ...accountHandlers,
  ...peopleHandlers,
  listConversations,
  getConversation,
  getConversationCounts,
  updateConversations: (ctx, input) => updateConversations(ctx, input, { assignTags, unassignTags }),
  getEmailMessage,
  listEmailMessages,
  getEmailThread,
  composeEmail,
  createEmailDraft,
  updateEmailDraft,
  deleteEmailDraft,
  sendEmailDraft,
  resolveEmailMessage,
  listLinkedinMessages,
  getLinkedinConversation,
  recordLinkedinMessage,
  importLinkedinMessages,
  markLinkedinConversationRead,
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
  createTask,
  updateTask,
  completeTask,
  skipTask,
  acceptTask,
  createRep,
  getRep,
  listReps,
  updateRep: (ctx, input) => updateRep(ctx, input, retryIncompleteForRep),
  getReplyAgentUsage,
  getCampaignReplyUsage,
  getCampaignKnowledge,
  updateCampaignKnowledge,
  getReport,
  pauseSending: (ctx, input) => pauseSending(ctx, input, countInFlight),
  resumeSending: (ctx, input) => resumeSending(ctx, input, forbidAppResumedCalls),
  createCampaign,
  listSequenceTemplates,
  getCampaign,
  getCampaignStats,
  forecastCampaign,
  listCampaigns,
  setCampaignSteps: (ctx, input) => setCampaignSteps(ctx, input, stepEffects),
  updateCampaignStep: (ctx, input) => updateCampaignStep(ctx, input, stepEffects),
  duplicateCampaign,
  deleteCampaign: (ctx, input) => deleteCampaign(ctx, input, deleteProspects),
  updateCampaign: (ctx, input) =>
    updateCampaign(ctx, input, {
      ...withdrawEffects,
      rescheduleSteps,
      completeCampaign,
      releaseRiskyAddresses,
    }),
  archiveCampaign,
  launchCampaign: (ctx, input) =>
    launchCampaign(ctx, input, {
      rescheduleProspects,
      failIncompleteProspects,
      countOpenProspects,
      forecastFirstSend,
    }),
  pauseCampaign: (ctx, input) => pauseCampaign(ctx, input, countInFlight),
  previewCampaign,
  sendTestEmail,
  resumeCampaign: (ctx, input) => resumeCampaign(ctx, input, completeCampaign),
  unarchiveCampaign,
  createMailbox,
  deleteMailbox: (ctx, input) => deleteMailbox(ctx, input, withdrawMailboxSteps),
  getMailbox,
  listMailboxes,
  resumeMailbox,
  addMailboxAlias,
  removeMailboxAlias,
  connectMailbox,
  completeMailboxConnection: (ctx, input) => completeMailboxConnection(ctx, input, expediteRetries),
  listMailClients,
  setMailClient,
  deleteMailClient,
  updateMailbox,
  verifyMailbox: (ctx, input) => verifyMailbox(ctx, input, expediteRetries),
  discoverMailSettings,
  checkDomain,
  createDkimKey,
  createDomain,
  deleteDomain,
  getDomain,
  listDomains,
  getDmarcResults,
  search,
  addProspectsToCampaign: (ctx, input) =>
    addProspectsToCampaign(ctx, input, { findMissing, rescheduleSteps }),
  importProspects: (ctx, input) => importProspects(ctx, input, { findMissing, ensureTags, rescheduleSteps }),
  getProspect,
  listCampaignProspects,
  listProspects,
  pauseProspect: (ctx, input) => pauseProspect(ctx, input, countInFlight),
  resumeProspect: (ctx, input) => resumeProspect(ctx, input, { lockBouncedSteps, releaseBouncedSteps }),
  pauseProspects: (ctx, input) => pauseProspects(ctx, input, countInFlight),
  resumeProspects: (ctx, input) => resumeProspects(ctx, input, { lockBouncedSteps, releaseBouncedSteps }),
  stopProspects: (ctx, input) => stopProspects(ctx, input, { withdrawQueuedSteps, countInFlight }),
  moveProspects: (ctx, input) =>
    moveProspects(ctx, input, { withdrawQueuedSteps, countInFlight, findMissing }),
  createAssistant,
  getAssistant,
  listAssistants,
  updateAssistant: (ctx, input) => updateAssistant(ctx, input, updateQueuedCalls),
  verifyAssistant,
  getCall,
  cancelCall,
  logCall,
  getCallPolicies,
  listCalls,
  triggerAssistantCall,
  approveCallRequest,
  declineCallRequest,
  getCallRequest,
  listCallRequests,
  requestCall,
}
