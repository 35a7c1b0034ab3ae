import { z } from 'zod'
import { country } from './countries.ts'
import { operation } from './operation.ts'
import { base, changedLines, optionalText } from './page.ts'

export const replyReaches = ['person', 'company_domain'] as const
export const unsubscribeWordsActs = ['mark', 'opt_out'] as const

const settings = {
  replyPauses: z
    .enum(replyReaches)
    .describe(
      "Whose other sequences pause when somebody replies, or a rep writes to them: the person's own, or those of everybody with an address of the same company",
    ),
  unsubscribeWords: z
    .enum(unsubscribeWordsActs)
    .describe(
      'When somebody asks in their own words for no more mail: `mark` ends the sequence with the reason `asks_to_unsubscribe`, for a person to decide; `opt_out` puts them on Do Not Contact',
    ),
  assistantsMayRequestCalls: z
    .boolean()
    .describe('Whether assistants may ask for calls, each of which a person approves in the web app'),
}

export const account = z
  .object({
    ...base('account'),
    name: z.string(),
    defaultCountry: z.string().optional().describe('Two letters; national phone numbers are read with it'),
    timezone: z.string(),
    postalAddress: z.string().optional().describe('Stands below every campaign email'),
    optOutLine: z
      .string()
      .optional()
      .describe(
        'Tells how to opt out, below every campaign email, with a link: where `{{ unsubscribeUrl }}` stands, else after it',
      ),
    ...settings,
  })
  .meta({ id: 'Account' })

export const getAccount = operation({
  method: 'GET',
  path: '/account',
  summary: 'Get the account the request acts on',
  tag: 'Account',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: z.strictObject({}),
  output: account,
})

export const updateAccount = operation({
  method: 'PATCH',
  path: '/account',
  summary: 'Change the account',
  tag: 'Account',
  extension: true,
  permission: 'Account.ManageSettings',
  input: z.strictObject({
    name: optionalText(200),
    defaultCountry: country.nullish(),
    timezone: optionalText(64),
    postalAddress: changedLines(1000),
    optOutLine: changedLines(1000),
    replyPauses: settings.replyPauses.optional(),
    unsubscribeWords: settings.unsubscribeWords.optional(),
    assistantsMayRequestCalls: settings.assistantsMayRequestCalls.optional(),
  }),
  output: account,
  example: { input: { postalAddress: 'Analytical Ltd, 12 St James Square, London SW1Y 4JH, UK' } },
})
