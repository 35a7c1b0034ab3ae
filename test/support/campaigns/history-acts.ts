import { randomUUIDv7 } from 'node:crypto'
import type { History } from './history.ts'
import { createMailActs, replies } from './history-mail-acts.ts'
import { getCurrent, getEmail, getPersonId, type Person } from './history-people.ts'
import type { World } from './history-world.ts'

/** A function that picks an item from a non-empty list. */
export type PickItem = <T>(items: readonly T[]) => T
/** Something that happens to a person; resolves to false if there was nothing to do. */
export type Act = (person: Person) => Promise<unknown>

const DAY_MS = 86_400_000

/** Returns everything that can happen in a campaign. */
export const createActs = (world: World, history: History, pick: PickItem): Record<string, Act> => ({
  ...createMailActs(world, history, pick),
  ...createPersonActs(history, pick),
  ...createProspectActs(world, history, pick),
  ...createChannelActs(history, pick),
})

/** Returns the acts on a person across all campaigns. */
function createPersonActs({ owner, account }: History, pick: PickItem): Record<string, Act> {
  const { call } = owner
  /** Returns the person's prospects in all campaigns, with their histories. */
  const listProspects = ({ contact }: Person) =>
    account.flatMap(history =>
      history.people
        .filter(each => getCurrent(each.contact) === getCurrent(contact))
        .map(({ prospectId }) => ({ prospectId, history })),
    )
  return {
    putOnList: person => call('addOptOuts', { identifiers: [{ identifier: getEmail(person) }] }),
    takeOffList: async person => {
      // Removing the entry would also remove an opt-out that `history.optedOut` counts.
      if (listProspects(person).some(({ history, prospectId }) => history.optedOut.has(prospectId)))
        return false
      await call('removeOptOut', { identifier: getEmail(person) })
    },
    erasePerson: async person => {
      const prospects = listProspects(person)
      const reasons = await Promise.all(
        prospects.map(async ({ prospectId, history }) => {
          const { data } = await call('listEmailMessages', { prospectId, limit: 100 })
          return data.map(({ id, deliveryReason }) => ({ history, id, deliveryReason }))
        }),
      )
      await call('erasePerson', { personId: getPersonId(person), expectedPerson: getEmail(person) })
      for (const { history, id, deliveryReason } of reasons.flat())
        if (deliveryReason) history.erasedReasons.set(id, deliveryReason)
    },
    mergePersons: async person => {
      const [kept, other] = [person.contact, pick(pick(account).people).contact].map(getCurrent)
      if (kept === other) return false
      await call('mergePersons', { personId: kept!.personId, duplicateIds: [other!.personId] })
      other!.mergedInto = kept!
    },
    changeAddress: async person => {
      const contact = getCurrent(person.contact)
      const email = `${pick(['new', 'new', 'gone'])}-${randomUUIDv7()}@e.example`
      await call('updatePerson', { personId: contact.personId, email })
      contact.emails.push(email)
    },
  }
}

/** Returns the acts of users on a prospect or campaign. */
function createProspectActs({ app }: World, history: History, pick: PickItem): Record<string, Act> {
  const { owner, campaignId, account } = history
  const { call } = owner
  return {
    pauseCampaign: () => call('pauseCampaign', { campaignId }),
    resumeCampaign: () => call('resumeCampaign', { campaignId }),
    pauseSending: () => call('pauseSending', {}),
    resumeSending: () => call('resumeSending', {}),
    pauseProspect: ({ prospectId }) => call('pauseProspect', { prospectId }),
    resumeProspect: ({ prospectId }) => call('resumeProspect', { prospectId }),
    correctAddress: async () => {
      const { data } = await call('listProspects', { campaignId, status: ['bounced'] })
      if (data.length === 0) return false
      const { id: prospectId } = pick(data)
      const person = history.people.find(each => each.prospectId === prospectId)!
      const email = `${pick(['new', 'new', 'gone'])}-${randomUUIDv7()}@e.example`
      await call('updatePerson', { personId: getPersonId(person), email })
      getCurrent(person.contact).emails.push(email)
      await call('resumeProspect', { prospectId })
    },
    stopProspect: ({ prospectId }) => call('stopProspects', { prospectIds: [prospectId] }),
    removeProspect: async ({ prospectId }) => {
      const { removed } = await call('stopProspects', { prospectIds: [prospectId], mode: 'remove' })
      return removed > 0
    },
    moveProspect: async ({ prospectId, contact }) => {
      const target = pick(account)
      if (target === history) return false
      const { data } = await call('moveProspects', {
        ...{ prospectIds: [prospectId], campaignId: target.campaignId },
      })
      const { newProspectId } = data[0]!
      if (!newProspectId) return false
      target.people.push({ prospectId: newProspectId, contact })
    },
    bookMeeting: ({ prospectId }) =>
      call('recordMeeting', { prospectId, startsAt: new Date(app.now().getTime() + DAY_MS).toISOString() }),
    cancelMeeting: async ({ prospectId }) => {
      const [meeting] = (await call('listMeetings', { prospectId, status: 'booked' })).data
      return meeting ? call('cancelMeeting', { meetingId: meeting.id }) : false
    },
    verifyMailbox: () => call('verifyMailbox', { mailboxId: history.mailbox.id }),
  }
}

/** Returns the acts on tasks, on LinkedIn and by phone. */
function createChannelActs(history: History, pick: PickItem): Record<string, Act> {
  const { owner, repId, linkedin, people } = history
  const { call } = owner
  const listTasks = async (status: 'open' | 'completed') =>
    (await call('listTasks', { repId, status, limit: 100 })).data
  const withTask =
    (name: 'completeTask' | 'skipTask'): Act =>
    async () => {
      const tasks = await listTasks('open')
      return tasks.length > 0 && call(name, { taskId: pick(tasks).id })
    }
  return {
    completeTask: withTask('completeTask'),
    skipTask: withTask('skipTask'),
    acceptInvitation: async () => {
      const invitations = (await listTasks('completed')).filter(
        ({ channel, acceptedAt }) => channel === 'linkedin_connect' && !acceptedAt,
      )
      if (invitations.length === 0) return false
      const { id, prospectId } = pick(invitations)
      const person = people.find(each => each.prospectId === prospectId)
      return person ? linkedin.accept(id, person) : false
    },
    answerOnLinkedin: async person => {
      const { intent, text } = pick(replies)
      const id = await linkedin.report({ person, text: `${text}\n${randomUUIDv7()}`, isOwn: false })
      if (!id) return false
      history.intents.set(id, intent)
    },
    writeOnLinkedin: async person =>
      (await linkedin.report({ person, text: `Good morning ${randomUUIDv7()}`, isOwn: true })) !== undefined,
    logCall: ({ prospectId }) =>
      call('logCall', {
        ...{ prospectId, phoneNumber: '+442079461200', callType: pick(['outbound', 'inbound']) },
        outcome: pick(['answered', 'voicemail', 'no_answer', 'busy']),
      }),
  }
}
