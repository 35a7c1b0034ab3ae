import type { Sql } from '../../kernel/db/database.ts'

/** A person's identifiers, and the IDs of the rows about them, by kind. */
export type PersonRecords = {
  person: string[]
  /** Full names. */
  names: string[]
  emails: string[]
  phones: string[]
  linkedinUrls: string[]
  prospects: string[]
  threads: string[]
  messages: string[]
  conversations: string[]
  linkedinMessages: string[]
  calls: string[]
  tasks: string[]
  optOuts: string[]
}

type TableData = {
  /** Condition for the rows about the person; `$name` is replaced by the array of records with that name. */
  rows: string
  /** Assignments that remove personal data, or `delete`; undefined if the rows contain no personal data. */
  erase?: string
}

/**
 * Everything that is stored about a person, by table, in the order of erasure. Rows that statistics count are kept,
 * without the personal data. A test ensures that other tables contain only temporary copies.
 */
export const personalData: Record<string, TableData> = {
  agent_replies: {
    rows: 'email_message_id = any($messages) or linkedin_message_id = any($linkedinMessages)',
    erase: `state = 'done', due_at = null, epoch = epoch + 1, referral = null, reason = null, sends_at = null`,
  },
  email_message_aliases: { rows: 'email_message_id = any($messages)', erase: 'delete' },
  sent_copies: { rows: 'message_id = any($messages)', erase: 'delete' },
  received_mails: { rows: 'id = any($messages) or about_id = any($messages)' },
  email_sends: {
    rows: 'message_id = any($messages)',
    erase: `recipient_emails = '{}', response = null, queue_id = null`,
  },
  // Deleting the rows also deletes the files' content.
  attachments: { rows: 'email_message_id = any($messages)', erase: 'delete' },
  email_message_tags: { rows: 'id = any($messages)' },
  email_messages: {
    rows: 'id = any($messages)',
    // Our Message-IDs stay: a late reply or bounce must find its email.
    erase: `
      subject = '', body = '', body_format = 'text', new_text = null, html = null, attachments = null, recipients = '{"to": []}',
      reply_to = null, delivery_reason = null, sender = case when type <> 'received' then sender end,
      message_id = case when type = 'received' then '' else message_id end,
      in_reply_to = case when type <> 'received' then in_reply_to end,
      reference_ids = case when type = 'received' then '{}' else reference_ids end`,
  },
  email_threads: { rows: 'id = any($threads)', erase: `subject = ''` },
  conversation_tags: { rows: 'id = any($threads) or id = any($conversations)', erase: 'delete' },
  conversations: { rows: 'id = any($threads) or id = any($conversations)', erase: 'delete' },
  linkedin_sends: { rows: 'task_id = any($tasks)', erase: 'response = null' },
  tasks: {
    rows: 'id = any($tasks)',
    erase: `
      title = case when title is not null then '' end, text = case when text is not null then '' end,
      status = case status when 'open' then 'cancelled' else status end,
      status_reason = case status when 'open' then 'erased' end, ended_at = coalesce(ended_at, now())`,
  },
  linkedin_message_tags: { rows: 'id = any($linkedinMessages)' },
  linkedin_messages: {
    rows: 'id = any($linkedinMessages)',
    erase: `text = '', conversation_id = conversation_record_id::text, provider_message_id = null`,
  },
  linkedin_conversations: {
    rows: 'id = any($conversations)',
    erase: 'conversation_id = id::text, chat_id = null',
  },
  notes: { rows: 'person_id = any($person)', erase: 'delete' },
  meetings: { rows: 'prospect_id = any($prospects)', erase: 'notes = null, external_id = null' },
  linkedin_members: { rows: 'person_id = any($person)', erase: 'delete' },
  linkedin_connections: { rows: 'person_id = any($person)' },
  call_requests: {
    rows: `person_id = any($person) or call_id = any($calls)
           or person_id is null and (call ->> 'phoneNumber' = any($phones) or call ->> 'email' = any($emails))`,
    erase: 'delete',
  },
  calls: {
    rows: 'id = any($calls)',
    erase: `
      from_number = case call_type when 'inbound' then '' else from_number end,
      to_number = case call_type when 'inbound' then to_number else '' end,
      person_name = null, person_email = null, person_timezone = null, data = null, extracted_data = null,
      call_transfer = null, summary = null, transcript = null, recording_url = null, outcome_advice = null, due_at = case
        when status in ('dialing', 'in_progress') then due_at end,
      provider_call_id = case when status in ('dialing', 'in_progress') then provider_call_id end`,
  },
  consents: { rows: 'phone = any($phones)', erase: 'delete' },
  opt_outs: { rows: 'id = any($optOuts)' },
  prospects: {
    rows: 'id = any($prospects)',
    // The reason of a failed or bounced prospect may be the response of a mail server, with the address.
    erase: `
      status = case when status in ('pending', 'active', 'out_of_office', 'paused', 'failed') then 'completed' else status end,
      status_reason = case when status in ('pending', 'active', 'out_of_office', 'paused', 'failed') then 'erased'
                           when status = 'bounced' then 'hard_bounce' else status_reason end,
      next_step_at = null, away_until = null, lease_until = null, lease_epoch = lease_epoch + 1`,
  },
  person_tags: { rows: 'id = any($person)', erase: 'delete' },
  person_aliases: { rows: 'person_id = any($person)', erase: 'delete' },
  person_activity: { rows: 'person_id = any($person)', erase: 'delete' },
  persons: {
    rows: 'id = any($person)',
    erase: `
      first_name = null, last_name = null, email = null, linkedin_url = null, phone = null, title = null, company_id = null,
      city = null, state = null, country = null, timezone = null, photo_url = null, custom = '{}', tags = '{}', owner_rep_id = null, erased_at = now()`,
  },
}

const types: Partial<Record<keyof PersonRecords, string>> = {
  emails: 'text[]',
  phones: 'text[]',
  linkedinUrls: 'text[]',
}

/** Returns the condition for a table's rows about the person. */
export const isAbout = (sql: Sql, table: string, records: PersonRecords) =>
  personalData[table]!.rows.split(/(\$\w+)/)
    .map(part => {
      if (!part.startsWith('$')) return sql.unsafe(part)
      const name = part.slice(1) as keyof PersonRecords
      return sql`${records[name]}::${sql.unsafe(types[name] ?? 'uuid[]')}`
    })
    .reduce((all, part) => sql`${all}${part}`)
