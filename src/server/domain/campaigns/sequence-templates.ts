import { type sequenceTemplateIds, stepInput } from '../../../contract/campaigns.ts'
import type { Input, Output } from '../../../contract/index.ts'

type Template = Output<'listSequenceTemplates'>['data'][number]
type Step = Template['steps'][number]

const days = (amount: number): Step['delay'] => ({ amount, unit: 'business_days' })
const noDelay: Step['delay'] = { amount: 0, unit: 'minutes' }

const email = (delay: Step['delay'], subject: string | undefined, body: string): Step => ({
  ...{ channel: 'email', delay },
  ...(subject && { subject }),
  body,
})

/** The sender must replace text in double brackets; a campaign that still contains any cannot be launched. */
const templates: Record<(typeof sequenceTemplateIds)[number], Omit<Template, 'id' | 'objectType'>> = {
  first_contact: {
    name: 'First contact',
    description: 'Four short emails to people who do not know you, about one problem they probably have.',
    steps: [
      email(
        noDelay,
        'A question about {{ company | default: "your team" }}',
        `Hi {{ firstName | default: "there" }},

[[Why you write to this kind of company, in one sentence.]]

We help with that: [[what you do, in one sentence]].

Is this relevant to you at the moment, or is a colleague the better person to ask?`,
      ),
      email(
        days(3),
        undefined,
        `Hi {{ firstName | default: "there" }},

An example of what I mean: [[what changed for one customer, with a number you can prove]].

Would 15 minutes next week make sense to see whether the same applies to {{ company | default: "you" }}?`,
      ),
      email(
        days(4),
        undefined,
        `Hi {{ firstName | default: "there" }},

This may help even if we never speak: [[a guide, checklist or answer they can use on their own]].

If you would rather not hear from me, a short "no" is fine.`,
      ),
      email(
        days(5),
        undefined,
        `Hi {{ firstName | default: "there" }},

I have not heard back, so I assume that the timing is wrong. This is my last email.

If it becomes relevant later, just reply here.`,
      ),
    ],
  },
  inbound_request: {
    name: 'Answer to a request',
    description: 'Three emails to people who asked for information, a demo or a price.',
    steps: [
      email(
        noDelay,
        'Your request',
        `Hi {{ firstName | default: "there" }},

Thank you for your interest in [[your product]].

To give you a useful answer I need to know two things: [[first question]] and [[second question]].

You can reply here, or we can talk. Which suits you better?`,
      ),
      email(
        days(1),
        undefined,
        `Hi {{ firstName | default: "there" }},

Most people in your situation ask about [[the most frequent question]]. The short answer: [[your answer]].

I have time tomorrow or the day after. Shall I suggest a time?`,
      ),
      email(
        days(4),
        undefined,
        `Hi {{ firstName | default: "there" }},

Is this still open on your side? If you have decided otherwise, tell me and I will close your request.`,
      ),
    ],
  },
  after_event: {
    name: 'After an event',
    description: 'Three emails to people you met at a trade fair, conference or webinar.',
    steps: [
      email(
        noDelay,
        'Our conversation at [[event]]',
        `Hi {{ firstName | default: "there" }},

It was good to meet you at [[event]]. As promised, here is [[what you said you would send]].

Does it answer your question?`,
      ),
      email(
        days(3),
        undefined,
        `Hi {{ firstName | default: "there" }},

At [[event]] many people told us about [[a problem that came up often]]. Is that something you see at {{ company | default: "your company" }} too?

If so, I can show you in 20 minutes how others deal with it.`,
      ),
      email(
        days(7),
        undefined,
        `Hi {{ firstName | default: "there" }},

I do not want to fill your inbox after the event, so this is my last email. If you would like to continue our conversation, a reply is enough.`,
      ),
    ],
  },
  lost_deal: {
    name: 'Reopen a lost deal',
    description: 'Two emails to people who decided against you some months ago.',
    steps: [
      email(
        noDelay,
        'What has changed since we spoke',
        `Hi {{ firstName | default: "there" }},

When we last spoke, you decided against us because of [[the reason]]. I understood that.

Since then we have [[what changed]]. Is it worth another look?`,
      ),
      email(
        days(5),
        undefined,
        `Hi {{ firstName | default: "there" }},

One question, and I will leave it there: are you happy with the solution you chose?

If so, I am glad. If not, I can tell you honestly whether we would do better.`,
      ),
    ],
  },
  email_linkedin_call: {
    name: 'Email, LinkedIn and phone',
    description:
      'Six steps over three weeks for a few important contacts. LinkedIn and phone steps become tasks for the rep.',
    steps: [
      { channel: 'linkedin_view', delay: noDelay },
      email(
        days(1),
        'A question about {{ company | default: "your team" }}',
        `Hi {{ firstName | default: "there" }},

[[Why you write to this person, in one sentence that shows you know the company.]]

We [[what you do, in one sentence]]. May I ask how you handle this today?`,
      ),
      {
        channel: 'linkedin_connect',
        delay: days(2),
        body: 'Hi {{ firstName | default: "there" }}, I emailed you about [[topic]] and would be glad to connect.',
      },
      {
        channel: 'task',
        delay: days(3),
        body: 'Call {{ firstName | default: "the contact" }} at {{ company | default: "the company" }}: refer to the email and ask how they handle [[topic]] today.',
      },
      email(
        days(2),
        undefined,
        `Hi {{ firstName | default: "there" }},

I also tried to reach you by phone. The short version: [[one result, with a number you can prove]].

Is this worth a conversation, or should I ask someone else at {{ company | default: "your company" }}?`,
      ),
      email(
        days(5),
        undefined,
        `Hi {{ firstName | default: "there" }},

I will not follow up further. Should it become relevant, you will find my details below.`,
      ),
    ],
  },
  customer_renewal: {
    name: 'Before a renewal',
    description: 'Three emails to customers whose contract ends soon.',
    steps: [
      email(
        noDelay,
        'How is it going with [[your product]]?',
        `Hi {{ firstName | default: "there" }},

Your contract for [[your product]] ends soon. Before we talk about that: what works well for you, and what does not?

Two sentences are enough. I read every reply.`,
      ),
      email(
        days(5),
        undefined,
        `Hi {{ firstName | default: "there" }},

Shall we take 20 minutes to look at what you use, what you do not, and which plan fits {{ company | default: "you" }} next year? It may well be a smaller one.`,
      ),
      email(
        days(7),
        undefined,
        `Hi {{ firstName | default: "there" }},

I don’t want your contract to end or renew without you deciding. What would you prefer: renew, change or stop? One word is enough.`,
      ),
    ],
  },
}

export const listSequenceTemplates = async (): Promise<Output<'listSequenceTemplates'>> => ({
  data: Object.entries(templates).map(([id, template]) => ({
    id: id as keyof typeof templates,
    objectType: 'sequence_template',
    ...template,
  })),
})

/** Returns the steps of a template as input for a campaign. */
export const getTemplateSteps = (id: keyof typeof templates): Input<'setCampaignSteps'>['steps'] =>
  templates[id].steps.map(step => stepInput.parse(step))
