import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { type Connection, listTools } from './connection.ts'

type PromptDefinition = {
  title: string
  description: string
  arguments?: { name: string; description: string; required?: boolean }[]
  /** Tools that the prompt requires; it is not offered without them. */
  needs: string[]
  text: (values: Record<string, string>) => string
}

const askFirst = 'Ask before anything is sent or anyone is opted out.'

/** Tasks that users start from their assistant's menu. */
const definitions: Record<string, PromptDefinition> = {
  morning_triage: {
    title: 'Morning triage',
    description: 'Goes through new replies, drafts, tasks and problems, and proposes what to do',
    needs: ['list_conversations', 'list_tasks'],
    text: () => `Help me start the day in Overture.
1. Call whoami for the time, my time zone and what needs attention.
2. Call list_conversations with view "needs_reply", page by page. Group them by intent: interested and question first, then objection, not_now and wrong_person. Read the whole conversation with get_email_thread or get_linkedin_conversation where its last message doesn't suffice.
3. Call list_conversations with view "drafts" and with view "unconfirmed", list_tasks with status "open", and list_problems.
4. Show one table: who, campaign, what they want, what you propose. Then ask which to do. Write answers with create_email_draft and show them to me before send_email_draft; then mark what is done with update_conversations, and snooze what has to wait. ${askFirst}`,
  },
  weekly_report: {
    title: 'Weekly report',
    description: 'Reports the last seven days by campaign, compared with the seven before',
    needs: ['get_report'],
    text: () => `Write my weekly report from Overture.
1. Call whoami for the time and time zone.
2. Call get_report with groupBy "campaign" and compare true for the last seven days, which adds the seven before.
3. Report sent, replied, positive, bounced and opted out by campaign, with the reply rate and the change from the week before. Say when numbers are too small for a conclusion.
4. Call get_report with groupBy "variant" for the last 90 days: name the best and the weakest step, and variants whose difference means something. Call list_problems for what holds campaigns back. End with at most three recommendations. Change nothing.`,
  },
  build_campaign: {
    title: 'Build a campaign',
    description: 'Drafts a campaign with its steps and previews it; nothing is sent',
    arguments: [
      { name: 'audience', description: 'Who it is for', required: true },
      { name: 'offer', description: 'What you offer them', required: true },
    ],
    needs: ['create_campaign', 'set_campaign_steps', 'preview_campaign'],
    text: ({ audience, offer }) => `Build a campaign in Overture.
Audience: ${audience}
Offer: ${offer}
1. Call whoami, list_reps and list_campaigns, to use the right rep and to learn from the steps of earlier campaigns (get_campaign).
2. Propose a sequence of three to five steps: short plain text, one question per email, no more than 120 words. Ask me to approve it.
3. Call create_campaign with the rep and weekday windows, then set_campaign_steps. Add people with add_prospects_to_campaign only if I give you some.
4. Call preview_campaign for every step, and fix missing variables and warnings.
5. Tell me how many people it would reach. Launch it only when I say so, with launch_campaign and expectedRecipients.`,
  },
  clean_up_bounces: {
    title: 'Clean up bounces',
    description:
      'Finds people whose emails bounced, and proposes a new address, another channel or Do Not Contact',
    needs: ['list_prospects', 'update_person'],
    text: () => `Clean up bounced addresses in Overture.
1. Call list_prospects with status ["bounced"], page by page.
2. Group them by company domain. If most of a domain bounced, the domain itself is the likely cause: say so first. Call list_problems and list_mailboxes for a mailbox that is the cause.
3. For each person propose one of: correct an obvious typing error with update_person, continue on LinkedIn or by phone if we have it (create_task), or add the address to Do Not Contact with add_opt_outs.
4. Show the proposals as a table and wait for my decision. ${askFirst}`,
  },
}

const isOffered = (connection: Connection, { needs }: PromptDefinition): boolean => {
  const names = new Set(listTools(connection).map(({ name }) => name))
  return needs.every(name => names.has(name))
}

export const listPrompts = (connection: Connection): Prompt[] =>
  Object.entries(definitions)
    .filter(([, definition]) => isOffered(connection, definition))
    .map(([name, { title, description, arguments: accepted }]) => ({
      name,
      title,
      description,
      ...(accepted && { arguments: accepted }),
    }))

export function getPrompt(
  connection: Connection,
  name: string,
  values: Record<string, string>,
): GetPromptResult {
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined
  if (!definition || !isOffered(connection, definition)) {
    const offered = listPrompts(connection).map(prompt => prompt.name)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown prompt. Prompts: ${offered.join(', ')}.`,
    )
  }
  const missing = definition.arguments?.find(({ name, required }) => required && !values[name]?.trim())
  if (missing)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The argument ${missing.name} is required.`)
  const { description, text } = definition
  return { description, messages: [{ role: 'user', content: { type: 'text', text: text(values) } }] }
}
