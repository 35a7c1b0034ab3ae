import type { Input } from '../contract/index.ts'
import { importOptOuts } from './domain/dnc/import-opt-outs.ts'
import { addOptOuts, listOptOuts, removeOptOut } from './domain/dnc/opt-outs.ts'
import { cancelMeeting, listMeetings, recordMeeting, updateMeeting } from './domain/meetings/meetings.ts'
import { countInFlight } from './domain/outbox/in-flight.ts'
import { withdrawQueuedSteps } from './domain/outbox/withdraw-queued.ts'
import { getCompany, listCompanies } from './domain/people/companies/companies.ts'
import { listConsents, recordConsent, withdrawConsent } from './domain/people/consents/consents.ts'
import { importConsents } from './domain/people/consents/import-consents.ts'
import {
  createCustomField,
  deleteCustomField,
  listCustomFields,
  updateCustomField,
} from './domain/people/custom-fields/custom-fields.ts'
import { createNote, deleteNote, listNotes, updateNote } from './domain/people/notes/notes.ts'
import { listPersons } from './domain/people/persons/list-persons.ts'
import { createPerson, deleteCustomValues, getPerson, updatePerson } from './domain/people/persons/persons.ts'
import { getPersonTimeline } from './domain/people/persons/timeline.ts'
import { erasePerson } from './domain/privacy/erase.ts'
import { exportPerson } from './domain/privacy/export.ts'
import { forbidAppChangedCallees } from './domain/prospects/forbid-app-changed-callees.ts'
import { retryIncompletePersons } from './domain/prospects/incomplete.ts'
import { findCampaignUsing } from './domain/rendering/find-campaign-using.ts'
import { assignTags, listTags, unassignTags } from './domain/tags/tags.ts'
import type { Context } from './kernel/context.ts'

/** Handlers of operations on persons, their companies and what is recorded about them; part of `handlers.ts`. */
export const peopleHandlers = {
  getCompany,
  listCompanies,
  listConsents,
  recordConsent,
  importConsents,
  withdrawConsent,
  addOptOuts,
  importOptOuts,
  listOptOuts,
  removeOptOut,
  listCustomFields,
  createCustomField,
  updateCustomField,
  createPerson,
  getPerson,
  listPersons,
  getPersonTimeline,
  exportPerson,
  erasePerson,
  listMeetings,
  recordMeeting,
  updateMeeting,
  cancelMeeting,
  listNotes,
  createNote,
  updateNote,
  deleteNote,
  listTags,
  assignTags,
  unassignTags,
  deleteCustomField: (ctx: Context, input: Input<'deleteCustomField'>) =>
    deleteCustomField(ctx, input, { findCampaignUsing, deleteCustomValues }),
  updatePerson: (ctx: Context, input: Input<'updatePerson'>) =>
    updatePerson(ctx, input, {
      withdrawQueuedSteps,
      retryIncompletePersons,
      countInFlight,
      forbidAppChangedCallees,
    }),
}
