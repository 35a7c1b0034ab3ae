import { randomUUIDv7 } from 'node:crypto'
import type { Sql } from '../db.ts'
import {
  insertLinkedinMessage,
  type NewLinkedinMessage,
  openConversation,
} from './write-linkedin-messages.ts'

type Recorded = Pick<NewLinkedinMessage, 'text' | 'type' | 'happenedAt'> & {
  repId: string
  personId: string
  prospectId: string | null
  campaignId: string | null
}

/** What was written on LinkedIn, in the latest conversation of rep and person, or in one that it opens. */
export async function recordLinkedinMessage(tx: Sql, message: Recorded): Promise<string> {
  const { repId, personId } = message
  const [known] = await tx<{ id: string }[]>`
    select id from linkedin_conversations
     where account_id = current_account_id() and rep_id = ${repId} and person_id = ${personId}
     order by created_at desc, id desc
     limit 1`
  const conversationRecordId =
    known?.id ?? (await openConversation(tx, { ...message, conversationId: `overture:${randomUUIDv7()}` }))
  return insertLinkedinMessage(tx, { ...message, conversationRecordId, status: 'sent' })
}
