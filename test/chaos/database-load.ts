import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../support/processes/installed.ts'
import type { Journal } from './journal.ts'

/** Limits the number of unsent emails, because the test ends only once all are sent. */
const MAX_UNSENT = 150
const RETRY_MS = 100

/** Returns true for half of the people. They are never opted out, because an opt-out would block their follow-up. */
const getsFollowUp = (email: string): boolean => /[02468]@/.test(email)

export type Load = AsyncDisposable & {
  /** Requests without a response, or with a server error as the response. */
  unknown: number
  /** Client errors (4xx); there should be none. */
  refusals: string[]
}

/**
 * Generates API load until disposed: two workers add prospects, one opts people out, one sends drafts in threads. Each
 * pauses for `pauseMs` between requests. Only acknowledged requests are written to the journal.
 */
export function openLoad(
  api: Api,
  journal: Journal,
  { campaignId, pauseMs, random }: { campaignId: string; pauseMs: number; random: () => number },
): Load {
  const over = new AbortController()
  const tag = Math.floor(random() * 1e9).toString(36)
  const added: string[] = []
  const load = { unknown: 0, refusals: [] as string[] }
  let count = 0

  const addProspects = async (): Promise<void> => {
    if (added.length - journal.dots.length > MAX_UNSENT) return sleep(RETRY_MS)
    const data = Array.from({ length: 1 + Math.floor(random() * 5) }, () => ({
      firstName: 'Ada',
      email: `person${++count}@${tag}.example`,
    }))
    await api('addProspectsToCampaign', { campaignId, data })
    for (const { email } of data) {
      journal.acknowledge('addProspectsToCampaign', email, {})
      added.push(email)
    }
  }
  const optOut = async (): Promise<void> => {
    const person = added[Math.floor(random() * added.length)]
    if (person && getsFollowUp(person)) return
    const email = person && random() < 0.3 ? person : `stranger${++count}@${tag}.example`
    const result = await api('addOptOuts', { identifiers: [{ identifier: email }] })
    journal.acknowledge('addOptOuts', email, result)
  }
  const sendDraft = async (): Promise<void> => {
    const { data } = await api('listEmailMessages', { campaignId, status: 'sent', limit: 100 })
    const parent = data.find(
      ({ type, recipients }) => type === 'campaign' && getsFollowUp(recipients.to[0]!.email),
    )
    if (!parent) return sleep(RETRY_MS)
    const email = `colleague${++count}@${tag}.example`
    const { messageId } = await api('createEmailDraft', {
      prospectId: parent.prospectId!,
      emailMessageIdToReplyTo: parent.id,
      body: 'More of it.',
      recipients: { to: [{ name: 'Colleague', email }] },
    })
    journal.acknowledge('createEmailDraft', messageId, {})
    await api('sendEmailDraft', { emailMessageId: messageId, allowNewRecipients: true, force: true })
    journal.acknowledge('sendEmailDraft', email, {})
  }

  const work = async (act: () => Promise<void>): Promise<void> => {
    while (!over.signal.aborted) {
      try {
        await act()
        await sleep(pauseMs)
      } catch (error) {
        const refusal = /returned status 4\d\d.*/.exec(String(error))?.[0]
        if (refusal) load.refusals.push(refusal)
        else load.unknown += 1
        await sleep(RETRY_MS)
      }
    }
  }
  const working = Promise.all([addProspects, addProspects, optOut, sendDraft].map(work))
  return Object.assign(load, {
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await working
    },
  })
}
