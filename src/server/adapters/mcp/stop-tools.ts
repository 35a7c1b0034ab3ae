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
      'Stops sending to them, except what `inFlight` counts, until resume_prospects. Pass prospects or a company',
    shared: selection,
  },
  resume_prospects: {
    operation: 'resumeProspects',
    title: 'Resume prospects',
    description:
      'Continues paused prospects, and bounced ones with a new address; steps may be sent soon. Skips people on the Do Not Contact list',
    shared: selection,
    hints: { openWorld: true },
  },
  stop_prospects: {
    operation: 'stopProspects',
    title: 'Stop prospects',
    description:
      'Ends the sequences of prospects, or of a company, for good; use pause_prospects to continue later. First tell the user how many people and pass that as `expectedPeople`',
    described: {
      prospectIds: 'Up to 100; names of people work, too',
      companyId: 'Instead: name or id',
      mode: '`remove`: also remove those never contacted from the campaign',
      expectedPeople: 'Refused if it would affect a different number',
    },
    hints: { destructive: true },
  },
  move_prospects: {
    operation: 'moveProspects',
    title: 'Move prospects to another campaign',
    shared: { prospectIds: 'stop_prospects', expectedPeople: 'stop_prospects' },
    description:
      'Stops prospects in their campaign and starts them in another. If that is active, its first step is sent immediately: ask the user first, and pass the number of people. Skips people on the Do Not Contact list and those already there',
    hints: { destructive: true, openWorld: true },
  },
  pause_all_sending: {
    operation: 'pauseSending',
    title: 'Pause all sending',
    description:
      'Stops all sending of the account, except what `inFlight` counts. Replies are still received. resume_all_sending undoes it; `nextSteps` lists what is sent then',
  },
  resume_all_sending: {
    operation: 'resumeSending',
    title: 'Resume all sending',
    description:
      'Ends a pause of all sending; everything due is sent. Ask the user first, with `nextSteps` of pause_all_sending: no other call is needed. Refused after a pause by somebody else if calls would be placed',
    hints: { openWorld: true },
  },
  add_opt_outs: {
    operation: 'addOptOuts',
    title: 'Add to the Do Not Contact list',
    described: {
      confirmPublicDomain: 'Allows domains such as gmail.com, which block everyone there',
      expectedPeople: 'People of the account that the identifiers match',
    },
    omitted: ['pauseActiveProspects'],
    description:
      'Blocks email addresses, LinkedIn profiles, phone numbers and domains from any contact, and pauses the prospects they match. The id of a person blocks all of theirs. First tell the user whom it stops; `Conflict` if `expectedPeople` differs. Repeating it changes nothing',
    hints: { destructive: true, idempotent: true },
  },
  remove_opt_out: {
    operation: 'removeOptOut',
    title: 'Remove from the Do Not Contact list',
    description: "Only at the person's request: they can be contacted again afterwards",
    hints: { destructive: true, openWorld: true },
  },
}
