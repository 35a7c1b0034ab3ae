import type { Definition } from './definition.ts'

/** The tools that stop something, and those that resume it, in listing order. */
export const stopTools: Record<string, Definition> = {
  pause_prospect: { operation: 'pauseProspect', title: 'Pause a prospect' },
  resume_prospect: {
    operation: 'resumeProspect',
    title: 'Resume a prospect',
    description:
      'Continues a paused prospect, or a bounced one with a new address; a step may be sent soon. Refused for people on Do Not Contact',
    hints: { openWorld: true },
  },
  stop_prospects: {
    operation: 'stopProspects',
    title: 'Stop prospects',
    description:
      'Ends the sequences of prospects for good; pause_prospect is the way to continue later. Tell the user how many people first and pass that as `expectedPeople`. list_prospects has the ids',
    hints: { destructive: true },
  },
  move_prospects: {
    operation: 'moveProspects',
    title: 'Move prospects to another campaign',
    shared: { prospectIds: 'stop_prospects', expectedPeople: 'stop_prospects' },
    description:
      'Stops prospects in their campaign and starts them in another. If that is active, its first step is sent at once: ask the user first, and pass the number of people. Skips people on the Do Not Contact list and those already there',
    hints: { destructive: true, openWorld: true },
  },
  pause_all_sending: {
    operation: 'pauseSending',
    title: 'Pause all sending',
    description:
      'Nothing leaves the account from now on, except what `inFlight` counts. Replies are still received. resume_all_sending undoes it; `nextSteps` says what leaves then',
  },
  resume_all_sending: {
    operation: 'resumeSending',
    title: 'Resume all sending',
    description:
      'Ends a pause of all sending; what is due leaves. Ask the user first, with `nextSteps` of pause_all_sending: no other call is needed. Refused after a pause by somebody else if calls would be placed',
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
      'Blocks email addresses, LinkedIn profiles, phone numbers and domains from any contact, and pauses the prospects they match. The id of a person blocks all of theirs. Tell the user whom it stops first; `Conflict` if `expectedPeople` differs. Repeating it changes nothing',
    hints: { destructive: true, idempotent: true },
  },
  remove_opt_out: {
    operation: 'removeOptOut',
    title: 'Remove from the Do Not Contact list',
    description: 'Only on the request of the person concerned: they can be contacted again afterwards',
    hints: { destructive: true, openWorld: true },
  },
}
