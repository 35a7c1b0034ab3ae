import { type AccountKey, accounts } from './accounts.ts'
import { assistantRows, callRequestRows, callRows } from './call-rows.ts'
import {
  type AssistantStory,
  acmeAssistants,
  acmeCallRequests,
  acmeCalls,
  type CallRequestStory,
  type CallStory,
} from './calls.ts'
import { acmeCampaigns, type CampaignStory, trialKey } from './campaigns.ts'
import { globexCampaigns } from './campaigns-globex.ts'
import { castProspects } from './cast.ts'
import { acmeConversations, type EmailConversation, globexConversations } from './email-conversations.ts'
import { type EmailThread, receivedRows, sendRows, tellEmails } from './email-story.ts'
import { tellFate } from './fates.ts'
import { acmeInvitations, type Invitation } from './invitations.ts'
import { acmeLinkedin, globexLinkedin, type LinkedinConversation } from './linkedin-conversations.ts'
import {
  connectionRows,
  type LinkedinThread,
  stepTaskRows,
  taskRows,
  tellLinkedin,
} from './linkedin-story.ts'
import { acmeOptOuts, globexOptOuts, type OptOutStory } from './opt-outs.ts'
import {
  campaignRepRows,
  campaignRows,
  companyRows,
  consentRows,
  mailboxRows,
  optOutRows,
  personRows,
  prospectRows,
  repRows,
  stepRows,
  tagRows,
  variantRows,
} from './record-rows.ts'
import { knowledgeRows, replyAgentRows } from './reply-agent.ts'
import { openTeller, type Rows, userIdOf } from './teller.ts'

type Script = {
  campaigns: CampaignStory[]
  conversations: EmailConversation[]
  linkedin: LinkedinConversation[]
  invitations: Invitation[]
  assistants: AssistantStory[]
  calls: CallStory[]
  callRequests: CallRequestStory[]
  optOuts: OptOutStory[]
}

const scripts: Record<AccountKey, Script> = {
  acme: {
    campaigns: acmeCampaigns,
    conversations: acmeConversations,
    linkedin: acmeLinkedin,
    invitations: acmeInvitations,
    assistants: acmeAssistants,
    calls: acmeCalls,
    callRequests: acmeCallRequests,
    optOuts: acmeOptOuts,
  },
  globex: {
    campaigns: globexCampaigns,
    conversations: globexConversations,
    linkedin: globexLinkedin,
    invitations: [],
    assistants: [],
    calls: [],
    callRequests: [],
    optOuts: globexOptOuts,
  },
}

/** All that is to be written of an account; rows by table, in the order in which they refer to each other. */
export type Story = {
  /** In whose name it happens. */
  ownerId: string
  rows: Record<string, Rows>
  threads: EmailThread[]
  conversations: LinkedinThread[]
  /** Rows that refer to messages. */
  sends: Rows
  received: Rows
  tasks: Rows
  launchedCampaignId: string | undefined
}

export function tellStory(key: AccountKey, madeAt: Date): Story {
  const account = accounts[key]
  const { campaigns, assistants, ...script } = scripts[key]
  const teller = openTeller(key, madeAt)
  const prospects = castProspects(teller, account, campaigns)
  const fates = new Map(prospects.map(each => [each.id, tellFate(teller, each, script)]))
  const threads = tellEmails(teller, account, prospects, script.conversations, fates)
  const conversations = tellLinkedin(teller, prospects, script.linkedin)
  const [ownerEmail] = account.members.find(([, role]) => role === 'owner')!
  return {
    ownerId: userIdOf(ownerEmail),
    rows: {
      companies: companyRows(teller, campaigns),
      persons: personRows(teller, campaigns),
      reps: repRows(teller, account),
      mailboxes: mailboxRows(teller, account),
      campaigns: campaignRows(teller, campaigns, prospects, fates),
      campaign_reps: campaignRepRows(teller, campaigns),
      assistants: assistantRows(teller, assistants),
      campaign_steps: stepRows(teller, campaigns),
      campaign_step_variants: variantRows(teller, campaigns),
      prospects: prospectRows(teller, prospects, fates),
      linkedin_connections: connectionRows(teller, prospects, script.invitations),
      tags: tagRows(
        teller,
        [...threads, ...conversations].flatMap(({ tags }) => tags),
      ),
      opt_outs: optOutRows(teller, script.optOuts),
      // Only who has assistants asked for them.
      consents: assistants.length > 0 ? consentRows(teller, campaigns) : [],
      calls: callRows(teller, prospects, assistants, script.calls),
      call_requests: callRequestRows(
        teller,
        prospects,
        assistants,
        script.callRequests,
        userIdOf(ownerEmail),
      ),
      reply_agents: replyAgentRows(key, teller),
      campaign_knowledge: knowledgeRows(key, teller, campaigns),
    },
    threads,
    conversations,
    sends: sendRows(teller, threads),
    received: receivedRows(teller, threads),
    tasks: [...taskRows(teller, conversations), ...stepTaskRows(teller, prospects, script.invitations)],
    launchedCampaignId: campaigns.some(campaign => campaign.key === trialKey)
      ? teller.id('campaign', trialKey)
      : undefined,
  }
}
