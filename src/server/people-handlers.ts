import type { Input } from '../contract/index.ts'
import { importOptOuts } from './domain/dnc/import-opt-outs.ts'
import { addOptOuts, listOptOuts, removeOptOut } from './domain/dnc/opt-outs.ts'
import { forgetMember } from './domain/linkedin/members.ts'
import { rescheduleSteps } from './domain/linkedin/reschedule-steps.ts'
import { cancelMeeting, listMeetings, recordMeeting, updateMeeting } from './domain/meetings/meetings.ts'
import { countInFlight } from './domain/outbox/in-flight.ts'
import { withdrawQueuedSteps } from './domain/outbox/withdraw-queued.ts'
import {
  createCompany,
  deleteCompanyValues,
  getCompany,
  listCompanies,
  updateCompany,
} from './domain/people/companies/companies.ts'
import { listConsents, recordConsent, withdrawConsent } from './domain/people/consents/consents.ts'
import { importConsents } from './domain/people/consents/import-consents.ts'
import {
  createCustomField,
  deleteCustomField,
  listCustomFields,
  updateCustomField,
} from './domain/people/custom-fields/custom-fields.ts'
import { createNote, deleteNote, listNotes, updateNote } from './domain/people/notes/notes.ts'
import { importPersons } from './domain/people/persons/import-persons.ts'
import { listPersons } from './domain/people/persons/list-persons.ts'
import { createPerson, deletePersonValues, getPerson, updatePerson } from './domain/people/persons/persons.ts'
import { getPersonTimeline } from './domain/people/persons/timeline.ts'
import { erasePerson } from './domain/privacy/erase.ts'
import { exportPerson } from './domain/privacy/export.ts'
import { mergePersons } from './domain/privacy/merge.ts'
import { retryAtFilledCompanies } from './domain/prospects/filled-companies.ts'
import { forbidAppChangedCallees } from './domain/prospects/forbid-app-changed-callees.ts'
import { retryIncompleteAtCompanies, retryIncompletePersons } from './domain/prospects/incomplete.ts'
import { findCampaignUsing } from './domain/rendering/find-campaign-using.ts'
import { assignTags, deleteTag, ensureTags, listTags, unassignTags, updateTag } from './domain/tags/tags.ts'
import type { Context } from './kernel/context.ts'

/**
 * Handlers for operations on persons, companies and their records, such as consents and notes; part of `handlers.ts`.
 */
export const peopleHandlers = {
  listCompanies,
  createCompany,
  getCompany,
  updateCompany: (ctx: Context, input: Input<'updateCompany'>) =>
    updateCompany(ctx, input, { retryIncompleteAtCompanies, forbidAppChangedCallees }),
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
  createPerson: (ctx: Context, input: Input<'createPerson'>) =>
    createPerson(ctx, input, { retryAtFilledCompanies }),
  getPerson,
  listPersons,
  getPersonTimeline,
  exportPerson,
  erasePerson,
  mergePersons,
  listMeetings,
  recordMeeting,
  updateMeeting,
  cancelMeeting,
  listNotes,
  createNote,
  updateNote,
  deleteNote,
  listTags,
  updateTag,
  deleteTag,
  assignTags,
  unassignTags,
  importPersons: (ctx: Context, input: Input<'importPersons'>) =>
    importPersons(ctx, input, {
      ensureTags,
      forbidAppChangedCallees,
      retryIncompletePersons,
      rescheduleSteps,
      retryAtFilledCompanies,
    }),
  deleteCustomField: (ctx: Context, input: Input<'deleteCustomField'>) =>
    deleteCustomField(ctx, input, {
      findCampaignUsing,
      deleteValues: { person: deletePersonValues, company: deleteCompanyValues },
    }),
  updatePerson: (ctx: Context, input: Input<'updatePerson'>) =>
    updatePerson(ctx, input, {
      withdrawQueuedSteps,
      forgetMember,
      retryIncompletePersons,
      rescheduleSteps,
      countInFlight,
      forbidAppChangedCallees,
      retryAtFilledCompanies,
    }),
}
