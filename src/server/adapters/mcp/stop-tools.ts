import type { Definition } from './definition.ts'

const selection = {
  prospectIds: 'stop_prospects',
  companyId: 'stop_prospects',
  expectedPeople: 'stop_prospects',
}

/** The tools that stop sending, and those that resume it, in listing order. */
export const stopTools: Record<string, Definition> = {
  pause_prospects: {
    operation: 'pauseProspects',
    title: 'Pause prospects',
    description:
      'Pauses prospects, or everyone at a company, until resume_prospects. `inFlight` counts messages and calls that could not be stopped',
    shared: selection,
  },
  resume_prospects: {
    operation: 'resumeProspects',
    title: 'Resume prospects',
    description:
      'Resumes prospects that are paused, or bounced and now have another address; due steps are sent soon. Skips people on the Do Not Contact list',
    shared: selection,
    hints: { openWorld: true },
  },
  stop_prospects: {
    operation: 'stopProspects',
    title: 'Stop prospects',
    description:
      'Permanently ends the sequences of prospects, or of everyone at a company; use pause_prospects to continue later. First tell the user how many people are affected, and pass the number as `expectedPeople`',
    described: {
      prospectIds: 'Up to 100 ids or names of people',
      companyId: 'Name or id, in place of `prospectIds`',
      mode: '`remove` also deletes prospects who were never contacted',
      expectedPeople: 'Refused if a different number of people is affected',
    },
    hints: { destructive: true },
  },
  move_prospects: {
    operation: 'moveProspects',
    title: 'Move prospects to another campaign',
    shared: { prospectIds: 'stop_prospects', expectedPeople: 'stop_prospects' },
    description:
      'Stops prospects in their campaign and adds them to another. If that campaign is active, its first step is sent immediately: ask the user first, and pass `expectedPeople`. Skips people on the Do Not Contact list or already in that campaign',
    hints: { destructive: true, openWorld: true },
  },
  pause_all_sending: {
    operation: 'pauseSending',
    title: 'Pause all sending',
    description:
      'Stops all sending of the account until resume_all_sending; `nextSteps` lists the steps due then. `inFlight` counts messages and calls that could not be stopped. Replies are still received',
  },
  resume_all_sending: {
    operation: 'resumeSending',
    title: 'Resume all sending',
    description:
      'Ends a pause of all sending; everything due is sent. First show the user `nextSteps` of pause_all_sending and ask. Refused if somebody else paused sending and calls would be placed',
    hints: { openWorld: true },
  },
  add_opt_outs: {
    operation: 'addOptOuts',
    title: 'Add to the Do Not Contact list',
    described: {
      confirmPublicDomain: 'Allows domains such as gmail.com, which block all their users',
      expectedPeople: 'Number of people that the identifiers match',
    },
    omitted: ['pauseActiveProspects'],
    description:
      'Blocks contact with email addresses, LinkedIn profiles, phone numbers and domains, and pauses matching prospects. The id of a person blocks all their identifiers. First tell the user who is affected; `Conflict` if `expectedPeople` differs',
    hints: { destructive: true, idempotent: true },
  },
  remove_opt_out: {
    operation: 'removeOptOut',
    title: 'Remove from the Do Not Contact list',
    description: "Allows contact with a person again. Use it only at the person's request",
    hints: { destructive: true, openWorld: true },
  },
}
