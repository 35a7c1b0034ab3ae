import { z } from 'zod'
import type { Definition } from './definition.ts'

/** Descriptions of a person's fields. */
const personFields = {
  email: '',
  phone: 'E.164 format',
  linkedinUrl: 'Profile URL',
  timezone: 'IANA name',
  state: '',
  company: 'Name; a new company is created',
  website: 'Website or domain, matched before `company`',
  companyId: 'In place of `company` and `website`',
}

/** The tools that build campaigns and manage people and companies, in listing order. */
export const buildTools: Record<string, Definition> = {
  create_campaign: {
    operation: 'createCampaign',
    title: 'Create a campaign',
    description:
      'Creates a draft, which sends nothing, and returns missing settings and preview warnings. Emails end with the signature of the sender: leave it out of texts. Then use add_prospects_to_campaign, forecast_campaign and launch_campaign',
    acceptsIdempotencyKey: true,
    shared: { steps: 'set_campaign_steps' },
    described: {
      repIds: 'Names or ids of the sending reps; defaults to yours',
      settings: '',
      newProspectsPerDay: 'Maximum number of first steps a day',
      schedule: "In the prospect's time zone; defaults to any time",
      template: 'Sequence template, in place of `steps`',
    },
  },
  update_campaign: {
    operation: 'updateCampaign',
    title: 'Update a campaign',
    description:
      'Changes name, reps, schedule, daily limit or settings, even of an active campaign. set_campaign_steps changes steps',
    shared: {
      settings: 'create_campaign',
      schedule: 'create_campaign',
      newProspectsPerDay: 'create_campaign',
    },
    described: { description: '', repIds: 'Names or ids' },
    hints: { openWorld: true, idempotent: true },
  },
  set_campaign_steps: {
    operation: 'setCampaignSteps',
    title: 'Set the steps of a campaign',
    described: { steps: '' },
    hints: { destructive: true, openWorld: true },
  },
  update_campaign_step: {
    operation: 'updateCampaignStep',
    title: 'Update a step',
    description:
      'Changes texts, variants or delay of one step; absent fields stay as they are. `replace` changes words in its texts',
    described: { stepId: 'Id or position' },
    added: { replace: z.strictObject({ find: z.string(), with: z.string() }).optional() },
    shared: { body: 'set_campaign_steps', delay: 'set_campaign_steps', variants: 'set_campaign_steps' },
    omitted: ['thread', 'acceptWithinDays', 'call'],
    hints: { openWorld: true, idempotent: true },
  },
  duplicate_campaign: { operation: 'duplicateCampaign', title: 'Duplicate a campaign' },
  delete_draft_campaign: {
    operation: 'deleteCampaign',
    title: 'Delete a draft campaign',
    hints: { destructive: true },
  },
  launch_campaign: {
    operation: 'launchCampaign',
    title: 'Launch a campaign',
    described: { expectedRecipients: 'Number of people to contact; refused if it differs' },
    description:
      'Starts sending to all prospects of the campaign. First tell the user what forecast_campaign returns; pause_campaign stops sending',
    hints: { destructive: true, openWorld: true },
  },
  pause_campaign: { operation: 'pauseCampaign', title: 'Pause a campaign' },
  resume_campaign: {
    operation: 'resumeCampaign',
    title: 'Resume a campaign',
    description:
      'Continues a paused campaign. Everything due by then is sent within the limits of the mailboxes',
    hints: { openWorld: true },
  },
  archive_campaign: { operation: 'archiveCampaign', title: 'Archive a campaign' },
  unarchive_campaign: { operation: 'unarchiveCampaign', title: 'Unarchive a campaign' },
  add_prospects_to_campaign: {
    operation: 'addProspectsToCampaign',
    title: 'Add prospects to a campaign',
    description:
      'Finds or creates a person for each element and adds them to the campaign. In an active campaign their first step is sent immediately: ask the user first. If one element is invalid, nothing is added',
    hints: { idempotent: true, openWorld: true },
    acceptsIdempotencyKey: true,
  },
  send_test_email: {
    operation: 'sendTestEmail',
    title: 'Send a test email',
    shared: { person: 'create_person', variantId: 'preview_campaign' },
    described: { stepId: 'Defaults to the first step' },
    description:
      "Sends an email step to the user's own address, marked as a test and excluded from all statistics. preview_campaign shows it without sending",
    hints: { openWorld: true },
  },
  update_campaign_knowledge: {
    operation: 'updateCampaignKnowledge',
    title: 'Update the knowledge of a campaign',
    description: 'Sets the facts that the reply agent may state in its drafts; null clears a fact',
    hints: { idempotent: true, openWorld: true },
  },
  create_person: {
    operation: 'createPerson',
    title: 'Create a person',
    described: {
      ...personFields,
      custom: 'Values by key; null clears a field, absent fields stay',
    },
    description:
      'Creates a person with an email address, LinkedIn profile or phone number, or with full name and company. `Conflict` names an existing person. Contacts nobody',
    acceptsIdempotencyKey: true,
  },
  merge_people: {
    operation: 'mergePersons',
    title: 'Merge duplicates of a person',
    described: {
      expectedNames: 'Full name, email address, phone number or LinkedIn profile of each duplicate, in order',
    },
    description:
      'Permanently moves all data of duplicates to one person. Show the user all records first and pass `expectedNames`',
    hints: { destructive: true },
  },
  update_person: {
    operation: 'updatePerson',
    title: 'Update a person',
    shared: { custom: 'create_person' },
    described: {
      ...personFields,
      ...{ email: '', title: '', phone: '', linkedinUrl: '', timezone: '', website: '', ownerRepId: '' },
    },
    description: 'Changes fields of a person; null clears a field. Later steps go to the new email address',
    hints: { destructive: true, openWorld: true },
  },
  update_company: {
    operation: 'updateCompany',
    title: 'Update a company',
    shared: { custom: 'create_person' },
    described: { industries: '', state: '' },
    description: 'Changes fields of a company; null clears a field. Unsent steps use the new values',
    hints: { destructive: true },
  },
}
