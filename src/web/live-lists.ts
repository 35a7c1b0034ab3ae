import type { OperationName } from '../contract/index.ts'
import type { LiveList } from '../contract/webhooks.ts'

/** The operations to refetch when the stream of changes names a list. */
export const liveOperations: Record<LiveList, OperationName[]> = {
  calls: ['listCalls', 'getCall', 'listCallRequests', 'getCallRequest', 'getPersonTimeline'],
  campaigns: ['listCampaigns', 'getCampaign', 'getCampaignStats', 'forecastCampaign', 'getReport'],
  conversations: ['listConversations', 'getConversation', 'getConversationCounts'],
  emailMessages: [
    'listEmailMessages',
    'getEmailMessage',
    'getEmailThread',
    'listMailboxes',
    'getPersonTimeline',
    'getCampaignStats',
    'getReport',
  ],
  linkedinMessages: ['listLinkedinMessages', 'getLinkedinConversation', 'getPersonTimeline', 'getReport'],
  mailboxes: ['listMailboxes', 'getMailbox', 'getRep'],
  meetings: ['listMeetings', 'getPersonTimeline', 'getReport'],
  notifications: ['listNotifications'],
  optOuts: ['listOptOuts', 'listPersons', 'getPerson'],
  persons: ['listPersons', 'getPerson', 'getPersonTimeline'],
  problems: ['listProblems'],
  prospects: [
    'listProspects',
    'listCampaignProspects',
    'getProspect',
    'getPerson',
    'getPersonTimeline',
    'getCampaignStats',
  ],
  tasks: ['listTasks', 'getTask', 'getPersonTimeline'],
}
