import { expect, it } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { tools } from '../../src/server/adapters/mcp/tools.ts'

/** Names of operations by the reason why assistants can't use them. */
const withoutTool: Record<string, string> = {
  'other tools return the same data': `
    getAccount getAssistant getConversation getConversationCounts getDomain getEmailMessage getMailbox getRep
    getSnippet getTask listCampaignProspects listLinkedinAccounts listNotes`,
  'other tools do the same thing':
    'assignTags pauseProspect markLinkedinConversationRead resumeProspect unassignTags',
  'assistants cannot pass on files': `
    deleteExport exportData getExport importConsents importLinkedinMessages importOptOuts importPersons
    importProspects`,
  'only administrators export or erase personal data, and read the audit log': `
    erasePerson exportPerson listAuditLog`,
  'people decide whom a machine calls, and record who agreed to it': `
    approveCallRequest declineCallRequest getCallPolicies getCallRequest listCallRequests listConsents
    recordConsent triggerAssistantCall withdrawConsent`,
  'belongs to one user': `
    createSavedView deleteSavedView getNotificationSettings listNotifications listSavedViews readNotifications
    updateNotificationSettings updateSavedView updateUser`,
  'people set up what the team shares': `
    createCompany createCustomField createSnippet deleteCustomField deleteSnippet deleteTag
    listSequenceTemplates updateAccount updateCustomField updateSnippet updateTag`,
  'people correct the record of what happened': `
    deleteNote recordLinkedinMessage updateNote`,
  'people set up senders and domains, which needs passwords, sign-ins or DNS': `
    addMailboxAlias completeMailboxConnection connectMailbox createAssistant createDkimKey createDomain
    createLinkedinAccount createMailbox createRep deleteDomain deleteLinkedinAccount deleteMailClient
    deleteMailbox discoverMailSettings getDmarcResults listMailClients removeMailboxAlias setMailClient
    updateAssistant updateLinkedinAccount updateMailbox updateRep verifyAssistant`,
  'people decide who has access, and an assistant must not extend its own': `
    createApiToken deleteSingleSignOn disconnectApp endSession getSingleSignOn inviteMember listApiTokens
    listConnectedApps listInvitations listMembers listSessions removeMember revokeApiToken revokeInvitation
    setSingleSignOn updateMember verifySingleSignOn`,
  'people set up the reply agent, which costs money': `
    deleteReplyAgent getCampaignReplyUsage getReplyAgent getReplyAgentUsage setReplyAgent verifyReplyAgent`,
  'connects other programs, which use the API': `
    createWebhook deleteWebhook getWebhook listEvents listMeetingWebhooks listWebhookDeliveries listWebhooks
    replayWebhook rotateWebhookSecret setMeetingWebhook testWebhook updateWebhook`,
}

it('every operation has a tool, or a reason why it has none', () => {
  const withTool = new Set<string>([...tools.values()].map(({ operation }) => operation))
  const expected = Object.keys(operations).filter(name => !withTool.has(name))
  expect(
    Object.values(withoutTool)
      .flatMap(names => names.trim().split(/\s+/))
      .toSorted(),
  ).toEqual(expected.toSorted())
})
