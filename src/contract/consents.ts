import { z } from 'zod'
import { csv, csvImportResult, csvLimits, csvMap } from './csv.ts'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  id,
  lines,
  optionalMultiline,
  optionalText,
  pageInput,
  pageSchema,
  text,
  time,
  timeInput,
  withChangeFilter,
} from './page.ts'

export const consentKinds = ['written', 'express', 'existing_relationship'] as const
export const consentUses = ['ai_voice_marketing', 'ai_voice_service'] as const

export const consentColumns = ['phoneNumber', 'kind', 'proof', 'name', 'source', 'givenAt', 'covers'] as const

const kind = z
  .enum(consentKinds)
  .describe(
    '`written`: signed, on paper or through a form; `express`: given in explicit words; `existing_relationship`: a customer who was informed and did not object',
  )
const covers = z
  .enum(consentUses)
  .describe(
    'Calls that the consent covers. Campaign calls are marketing: consent to service calls alone does not permit them',
  )

export const consent = z
  .object({
    ...base('consent'),
    phoneNumber: z.string().describe('Phone number in E.164 format'),
    name: z.string().optional(),
    kind,
    covers,
    proof: z.string(),
    source: z.string().optional(),
    givenAt: time,
    recordedById: id.optional().describe('User who recorded the consent'),
    withdrawnAt: time.optional().describe('When the consent ended'),
    withdrawnById: id.optional().describe('User who recorded the withdrawal'),
    withdrawalReason: z
      .string()
      .optional()
      .describe('Reason; `opt_out` when the number was added to the Do Not Contact list'),
  })
  .meta({ id: 'Consent' })

export const recordConsent = operation({
  method: 'POST',
  path: '/consents',
  summary: 'Record a consent to calls',
  description:
    "Records that a person agreed to calls by an AI voice, with proof. The law of the called number's country decides whether calls need consent, and of which kind; calls without a required consent are refused. A consent is never changed or deleted, only withdrawn.",
  tag: 'Consents',
  extension: true,
  permission: 'DoNotContact.EditDoNotContact',
  input: z.strictObject({
    phoneNumber: text(50).describe('Number that may be called, preferably in E.164 format'),
    name: optionalText(200).describe('Name of the person who gave consent'),
    kind,
    covers: covers.default('ai_voice_marketing'),
    proof: lines(2000).describe('The wording agreed to and where it appeared, or the URL of the document'),
    source: optionalText(200).describe('How consent was given, such as "Form on our website"'),
    givenAt: timeInput.optional().describe('When consent was given. Defaults to now'),
  }),
  output: consent,
  example: {
    input: {
      phoneNumber: '+14155550123',
      name: 'Ada Byron',
      kind: 'written',
      proof:
        'https://acme.example/forms/8123: “I agree that Acme calls me with an AI voice about its offers.”',
      source: 'Form on our website',
      givenAt: '2026-11-20T09:30:00.000Z',
    },
  },
})

export const importConsents = operation({
  method: 'POST',
  path: '/consents/import',
  summary: 'Import consents to calls from CSV',
  description:
    'Imports a CSV file with one consent per row: phone number, kind and proof, optionally name, source, date and what it covers. Invalid rows are skipped and reported. Importing the same file again adds nothing and does not restore withdrawn consents. For files over 4 MB use the command line.',
  tag: 'Consents',
  extension: true,
  permission: 'DoNotContact.EditDoNotContact',
  ...csvLimits,
  input: z.strictObject({
    csv,
    map: csvMap(consentColumns),
  }),
  output: z.object({
    ...csvImportResult(consentColumns),
    added: z.int(),
    alreadyPresent: z.int().describe('Recorded before, or repeated in the file'),
  }),
  example: {
    input: {
      csv: 'Phone,Name,Kind,Proof\n+14155550123,Ada Byron,written,https://acme.example/forms/8123\n',
    },
  },
})

export const listConsents = operation({
  method: 'GET',
  path: '/consents',
  summary: 'List consents to calls',
  description: 'Lists consents to be called by an AI voice, including withdrawn ones.',
  tag: 'Consents',
  extension: true,
  permission: 'DoNotContact.ReadDoNotContact',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      phoneNumber: optionalText(50).describe('Only consents for this number, in any format'),
    }),
  ),
  output: pageSchema(consent, 'Consent'),
})

export const withdrawConsent = operation({
  method: 'POST',
  path: '/consents/{consentId}/withdraw',
  summary: 'Withdraw a consent',
  description:
    'The consent no longer permits calls. To block a number altogether, add it to the Do Not Contact list, which also withdraws its consents.',
  tag: 'Consents',
  extension: true,
  permission: 'DoNotContact.EditDoNotContact',
  input: z.strictObject({
    consentId: id.describe('Consent ID'),
    reason: optionalMultiline(500).describe('How consent was withdrawn, such as "By email to Grace"'),
  }),
  output: consent,
  example: { input: { reason: 'By email to Grace' } },
})
