import type { z } from 'zod'
import * as accounts from './accounts.ts'
import * as assistants from './assistants.ts'
import * as callRequests from './call-requests.ts'
import * as calls from './calls.ts'
import * as campaignForecast from './campaign-forecast.ts'
import * as campaigns from './campaigns.ts'
import * as companies from './companies.ts'
import * as consents from './consents.ts'
import * as conversations from './conversations.ts'
import * as customFields from './custom-fields.ts'
import * as dnc from './dnc.ts'
import * as domains from './domains.ts'
import * as exports from './exports.ts'
import * as inbox from './inbox.ts'
import * as linkedin from './linkedin.ts'
import * as mailClients from './mail-clients.ts'
import * as mailSettings from './mail-settings.ts'
import * as mailboxAliases from './mailbox-aliases.ts'
import * as mailboxConnections from './mailbox-connections.ts'
import * as mailboxes from './mailboxes.ts'
import * as me from './me.ts'
import * as meetings from './meetings.ts'
import * as members from './members.ts'
import * as notes from './notes.ts'
import * as notifications from './notifications.ts'
import type { Operation } from './operation.ts'
import * as persons from './persons.ts'
import * as problems from './problems.ts'
import * as prospects from './prospects.ts'
import * as replyAgent from './reply-agent.ts'
import * as reports from './reports.ts'
import * as reps from './reps.ts'
import * as savedViews from './saved-views.ts'
import { search } from './search.ts'
import { listSequenceTemplates } from './sequence-templates.ts'
import * as singleSignOn from './single-sign-on.ts'
import * as snippets from './snippets.ts'
import * as tags from './tags.ts'
import * as tasks from './tasks.ts'
import * as users from './users.ts'
import * as webhooks from './webhooks.ts'

/** All operations, by name. */
export const operations = {
  listCampaigns: campaigns.listCampaigns,
  createCampaign: campaigns.createCampaign,
  listSequenceTemplates,
  getCampaign: campaigns.getCampaign,
  getCampaignStats: campaigns.getCampaignStats,
  forecastCampaign: campaignForecast.forecastCampaign,
  getReport: reports.getReport,
  updateCampaign: campaigns.updateCampaign,
  duplicateCampaign: campaigns.duplicateCampaign,
  deleteCampaign: campaigns.deleteCampaign,
  setCampaignSteps: campaigns.setCampaignSteps,
  updateCampaignStep: campaigns.updateCampaignStep,
  previewCampaign: campaigns.previewCampaign,
  sendTestEmail: campaigns.sendTestEmail,
  launchCampaign: campaigns.launchCampaign,
  pauseCampaign: campaigns.pauseCampaign,
  resumeCampaign: campaigns.resumeCampaign,
  archiveCampaign: campaigns.archiveCampaign,
  unarchiveCampaign: campaigns.unarchiveCampaign,
  addProspectsToCampaign: campaigns.addProspectsToCampaign,
  importProspects: campaigns.importProspects,
  listProspects: prospects.listProspects,
  listCampaignProspects: prospects.listCampaignProspects,
  getProspect: prospects.getProspect,
  pauseProspect: prospects.pauseProspect,
  resumeProspect: prospects.resumeProspect,
  pauseProspects: prospects.pauseProspects,
  resumeProspects: prospects.resumeProspects,
  stopProspects: prospects.stopProspects,
  moveProspects: prospects.moveProspects,
  search,
  listPersons: persons.listPersons,
  createPerson: persons.createPerson,
  getPerson: persons.getPerson,
  updatePerson: persons.updatePerson,
  getPersonTimeline: persons.getPersonTimeline,
  exportPerson: persons.exportPerson,
  importPersons: persons.importPersons,
  mergePersons: persons.mergePersons,
  erasePerson: persons.erasePerson,
  listMeetings: meetings.listMeetings,
  recordMeeting: meetings.recordMeeting,
  updateMeeting: meetings.updateMeeting,
  cancelMeeting: meetings.cancelMeeting,
  listMeetingWebhooks: meetings.listMeetingWebhooks,
  setMeetingWebhook: meetings.setMeetingWebhook,
  listNotes: notes.listNotes,
  createNote: notes.createNote,
  updateNote: notes.updateNote,
  deleteNote: notes.deleteNote,
  listCustomFields: customFields.listCustomFields,
  createCustomField: customFields.createCustomField,
  updateCustomField: customFields.updateCustomField,
  deleteCustomField: customFields.deleteCustomField,
  listCompanies: companies.listCompanies,
  createCompany: companies.createCompany,
  getCompany: companies.getCompany,
  updateCompany: companies.updateCompany,
  listConversations: conversations.listConversations,
  getConversation: conversations.getConversation,
  getConversationCounts: conversations.getConversationCounts,
  updateConversations: conversations.updateConversations,
  listEmailMessages: inbox.listEmailMessages,
  getEmailMessage: inbox.getEmailMessage,
  getEmailThread: inbox.getEmailThread,
  composeEmail: inbox.composeEmail,
  createEmailDraft: inbox.createEmailDraft,
  updateEmailDraft: inbox.updateEmailDraft,
  deleteEmailDraft: inbox.deleteEmailDraft,
  sendEmailDraft: inbox.sendEmailDraft,
  resolveEmailMessage: inbox.resolveEmailMessage,
  listSnippets: snippets.listSnippets,
  getSnippet: snippets.getSnippet,
  createSnippet: snippets.createSnippet,
  updateSnippet: snippets.updateSnippet,
  deleteSnippet: snippets.deleteSnippet,
  getNotificationSettings: notifications.getNotificationSettings,
  updateNotificationSettings: notifications.updateNotificationSettings,
  listNotifications: notifications.listNotifications,
  readNotifications: notifications.readNotifications,
  listSavedViews: savedViews.listSavedViews,
  createSavedView: savedViews.createSavedView,
  updateSavedView: savedViews.updateSavedView,
  deleteSavedView: savedViews.deleteSavedView,
  listLinkedinMessages: inbox.listLinkedinMessages,
  getLinkedinConversation: inbox.getLinkedinConversation,
  recordLinkedinMessage: inbox.recordLinkedinMessage,
  importLinkedinMessages: inbox.importLinkedinMessages,
  markLinkedinConversationRead: inbox.markLinkedinConversationRead,
  createLinkedinDraft: inbox.createLinkedinDraft,
  updateLinkedinDraft: inbox.updateLinkedinDraft,
  deleteLinkedinDraft: inbox.deleteLinkedinDraft,
  sendLinkedinDraft: inbox.sendLinkedinDraft,
  listLinkedinAccounts: linkedin.listLinkedinAccounts,
  createLinkedinAccount: linkedin.createLinkedinAccount,
  updateLinkedinAccount: linkedin.updateLinkedinAccount,
  deleteLinkedinAccount: linkedin.deleteLinkedinAccount,
  listTasks: tasks.listTasks,
  getTask: tasks.getTask,
  createTask: tasks.createTask,
  updateTask: tasks.updateTask,
  completeTask: tasks.completeTask,
  skipTask: tasks.skipTask,
  acceptTask: tasks.acceptTask,
  listTags: tags.listTags,
  updateTag: tags.updateTag,
  deleteTag: tags.deleteTag,
  assignTags: tags.assignTags,
  unassignTags: tags.unassignTags,
  triggerAssistantCall: calls.triggerAssistantCall,
  listCalls: calls.listCalls,
  getCall: calls.getCall,
  cancelCall: calls.cancelCall,
  logCall: calls.logCall,
  getCallPolicies: calls.getCallPolicies,
  requestCall: callRequests.requestCall,
  listCallRequests: callRequests.listCallRequests,
  getCallRequest: callRequests.getCallRequest,
  approveCallRequest: callRequests.approveCallRequest,
  declineCallRequest: callRequests.declineCallRequest,
  listAssistants: assistants.listAssistants,
  getAssistant: assistants.getAssistant,
  createAssistant: assistants.createAssistant,
  updateAssistant: assistants.updateAssistant,
  verifyAssistant: assistants.verifyAssistant,
  listReps: reps.listReps,
  createRep: reps.createRep,
  getRep: reps.getRep,
  updateRep: reps.updateRep,
  listMailboxes: mailboxes.listMailboxes,
  createMailbox: mailboxes.createMailbox,
  getMailbox: mailboxes.getMailbox,
  updateMailbox: mailboxes.updateMailbox,
  deleteMailbox: mailboxes.deleteMailbox,
  resumeMailbox: mailboxes.resumeMailbox,
  addMailboxAlias: mailboxAliases.addMailboxAlias,
  removeMailboxAlias: mailboxAliases.removeMailboxAlias,
  connectMailbox: mailboxConnections.connectMailbox,
  completeMailboxConnection: mailboxConnections.completeMailboxConnection,
  listMailClients: mailClients.listMailClients,
  setMailClient: mailClients.setMailClient,
  deleteMailClient: mailClients.deleteMailClient,
  verifyMailbox: mailboxes.verifyMailbox,
  discoverMailSettings: mailSettings.discoverMailSettings,
  exportData: exports.exportData,
  getExport: exports.getExport,
  deleteExport: exports.deleteExport,
  listDomains: domains.listDomains,
  createDomain: domains.createDomain,
  getDomain: domains.getDomain,
  checkDomain: domains.checkDomain,
  getDmarcResults: domains.getDmarcResults,
  createDkimKey: domains.createDkimKey,
  deleteDomain: domains.deleteDomain,
  addOptOuts: dnc.addOptOuts,
  importOptOuts: dnc.importOptOuts,
  listOptOuts: dnc.listOptOuts,
  removeOptOut: dnc.removeOptOut,
  listConsents: consents.listConsents,
  recordConsent: consents.recordConsent,
  importConsents: consents.importConsents,
  withdrawConsent: consents.withdrawConsent,
  listMembers: members.listMembers,
  updateMember: members.updateMember,
  removeMember: members.removeMember,
  listInvitations: members.listInvitations,
  inviteMember: members.inviteMember,
  revokeInvitation: members.revokeInvitation,
  listAuditLog: members.listAuditLog,
  listWebhooks: webhooks.listWebhooks,
  createWebhook: webhooks.createWebhook,
  getWebhook: webhooks.getWebhook,
  updateWebhook: webhooks.updateWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  testWebhook: webhooks.testWebhook,
  listWebhookDeliveries: webhooks.listWebhookDeliveries,
  replayWebhook: webhooks.replayWebhook,
  listEvents: webhooks.listEvents,
  getSingleSignOn: singleSignOn.getSingleSignOn,
  setSingleSignOn: singleSignOn.setSingleSignOn,
  verifySingleSignOn: singleSignOn.verifySingleSignOn,
  deleteSingleSignOn: singleSignOn.deleteSingleSignOn,
  getReplyAgent: replyAgent.getReplyAgent,
  setReplyAgent: replyAgent.setReplyAgent,
  verifyReplyAgent: replyAgent.verifyReplyAgent,
  deleteReplyAgent: replyAgent.deleteReplyAgent,
  getReplyAgentUsage: replyAgent.getReplyAgentUsage,
  getCampaignReplyUsage: replyAgent.getCampaignReplyUsage,
  getCampaignKnowledge: replyAgent.getCampaignKnowledge,
  updateCampaignKnowledge: replyAgent.updateCampaignKnowledge,
  getMe: me.getMe,
  listProblems: problems.listProblems,
  updateUser: users.updateUser,
  listApiTokens: users.listApiTokens,
  createApiToken: users.createApiToken,
  revokeApiToken: users.revokeApiToken,
  listSessions: users.listSessions,
  endSession: users.endSession,
  listConnectedApps: users.listConnectedApps,
  disconnectApp: users.disconnectApp,
  getAccount: accounts.getAccount,
  updateAccount: accounts.updateAccount,
  pauseSending: accounts.pauseSending,
  resumeSending: accounts.resumeSending,
} as const satisfies Record<string, Operation>

export type Operations = typeof operations
export type OperationName = keyof Operations

/** The input as a handler receives it: parsed, with defaults. */
export type Input<N extends OperationName> = z.output<Operations[N]['input']>
/** The input as a caller sends it. */
export type RawInput<N extends OperationName> = z.input<Operations[N]['input']>
export type Output<N extends OperationName> = z.output<Operations[N]['output']>
