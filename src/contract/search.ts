import { z } from 'zod'
import { campaignStatuses } from './campaigns.ts'
import { operation } from './operation.ts'
import { id, searchQuery, time } from './page.ts'
import { prospectStatuses } from './prospects.ts'

const url = z.string().describe('Page in the web app')

export const search = operation({
  method: 'GET',
  path: '/search',
  summary: 'Search people, companies, campaigns and conversations',
  description:
    'Returns up to five matches of each kind: the best people and companies, the newest campaigns and conversations. People and companies match by parts of their words or, if none does, by similar words; messages of the last 24 months by whole words, of which the last may be incomplete. Case and accents do not matter. Sent campaign emails are not searched. Contains what the role may see. `listPersons` finds more people with the same words.',
  tag: 'Account',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: z.strictObject({ query: searchQuery.describe('Words to search for') }),
  output: z
    .object({
      persons: z.array(
        z.object({
          id,
          name: z.string().optional(),
          email: z.string().optional(),
          company: z.string().optional().describe('Name of the company'),
          prospects: z
            .array(z.object({ id, campaign: z.string(), status: z.enum(prospectStatuses) }))
            .optional()
            .describe('Their latest prospects, at most five; absent if none'),
        }),
      ),
      companies: z.array(z.object({ id, name: z.string().optional(), domain: z.string().optional() })),
      campaigns: z.array(z.object({ id, name: z.string(), status: z.enum(campaignStatuses), url })),
      conversations: z
        .array(
          z.object({
            emailThreadId: id.optional(),
            linkedinConversationId: id.optional(),
            messageId: id.describe('The newest message that matches'),
            at: time.describe('When it was sent or received'),
            subject: z.string().optional(),
            text: z.string().describe('Beginning of the message, without quoted text'),
            prospectId: id.optional(),
            url,
          }),
        )
        .describe('Conversations, newest first'),
    })
    .meta({ id: 'SearchResults' }),
})
