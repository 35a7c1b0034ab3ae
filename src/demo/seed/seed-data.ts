import { type AccountKey, accounts } from '../data/accounts.ts'
import {
  acmeAssistants,
  acmeCallRequests,
  acmeCalls,
  type SeedAssistant,
  type SeedCall,
  type SeedCallRequest,
} from '../data/calls.ts'
import { acmeCampaigns, type SeedCampaign, trialCampaignKey } from '../data/campaigns.ts'
import { globexCampaigns } from '../data/campaigns-globex.ts'
import {
  acmeConversations,
  type EmailConversation,
  globexConversations,
} from '../data/email-conversations.ts'
import { acmeLinkedin, globexLinkedin, type LinkedinConversation } from '../data/linkedin-conversations.ts'
import { acmeInvitations, type Invitation } from '../data/linkedin-invitations.ts'
import { acmeOptOuts, globexOptOuts, type SeedOptOut } from '../data/opt-outs.ts'
import { assistantRows, callRequestRows, callRows } from './call-rows.ts'
import { buildEmailThreads, receivedRows, type SeedEmailThread, sendRows } from './email-threads.ts'
import {
  buildLinkedinConversations,
  connectionRows,
  type SeedLinkedinConversation,
  stepTaskRows,
  taskRows,
} from './linkedin-conversations.ts'
import { computeProspectState } from './prospect-states.ts'
import { buildProspects } from './prospects.ts'
import { knowledgeRows, replyAgentRows } from './reply-agent-rows.ts'
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
} from './rows.ts'
import { createSeedContext, getUserId, type Rows } from './seed-context.ts'

/** The data files of one account. */
type AccountData = {
  campaigns: SeedCampaign[]
  conversations: EmailConversation[]
  linkedin: LinkedinConversation[]
  invitations: Invitation[]
  assistants: SeedAssistant[]
  calls: SeedCall[]
  callRequests: SeedCallRequest[]
  optOuts: SeedOptOut[]
}

const dataByAccount: Record<AccountKey, AccountData> = {
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

/** The data to insert for an account. */
export type SeedData = {
  /** The user on whose behalf the inbox is filled and the campaign launched. */
  ownerId: string
  /** Rows by table, in the order of their foreign keys. */
  rows: Record<string, Rows>
  threads: SeedEmailThread[]
  conversations: SeedLinkedinConversation[]
  /** Rows that reference messages. */
  sends: Rows
  received: Rows
  tasks: Rows
  launchedCampaignId: string | undefined
}

export function buildSeedData(key: AccountKey, seededAt: Date): SeedData {
  const account = accounts[key]
  const { campaigns, assistants, ...data } = dataByAccount[key]
  const seed = createSeedContext(key, seededAt)
  const prospects = buildProspects(seed, account, campaigns)
  const states = new Map(prospects.map(each => [each.id, computeProspectState(seed, each, data)]))
  const threads = buildEmailThreads(seed, account, prospects, data.conversations, states)
  const conversations = buildLinkedinConversations(seed, prospects, data.linkedin)
  const [ownerEmail] = account.members.find(([, role]) => role === 'owner')!
  return {
    ownerId: getUserId(ownerEmail),
    rows: {
      companies: companyRows(seed, campaigns),
      persons: personRows(seed, campaigns),
      reps: repRows(seed, account),
      mailboxes: mailboxRows(seed, account),
      campaigns: campaignRows(seed, campaigns, prospects, states),
      campaign_reps: campaignRepRows(seed, campaigns),
      assistants: assistantRows(seed, assistants),
      campaign_steps: stepRows(seed, campaigns),
      campaign_step_variants: variantRows(seed, campaigns),
      prospects: prospectRows(seed, prospects, states),
      linkedin_connections: connectionRows(seed, prospects, data.invitations),
      tags: tagRows(
        seed,
        [...threads, ...conversations].flatMap(({ tags }) => tags),
      ),
      opt_outs: optOutRows(seed, data.optOuts),
      // Only accounts with assistants need consents.
      consents: assistants.length > 0 ? consentRows(seed, campaigns) : [],
      calls: callRows(seed, prospects, assistants, data.calls),
      call_requests: callRequestRows(seed, prospects, assistants, data.callRequests, getUserId(ownerEmail)),
      reply_agents: replyAgentRows(key, seed),
      campaign_knowledge: knowledgeRows(key, seed, campaigns),
    },
    threads,
    conversations,
    sends: sendRows(seed, threads),
    received: receivedRows(seed, threads),
    tasks: [...taskRows(seed, conversations), ...stepTaskRows(seed, prospects, data.invitations)],
    launchedCampaignId: campaigns.some(campaign => campaign.key === trialCampaignKey)
      ? seed.id('campaign', trialCampaignKey)
      : undefined,
  }
}
