import { z } from 'zod'
import { csv, csvLimits, csvMap, csvReading } from './csv.ts'
import { operation } from './operation.ts'
import {
  base,
  id,
  lines,
  optionalLines,
  optionalText,
  pageInput,
  pageOf,
  text,
  time,
  timeInput,
} from './page.ts'

export const consentKinds = ['written', 'express', 'existing_relationship'] as const
export const consentUses = ['ai_voice_marketing', 'ai_voice_service'] as const

export const consentColumns = ['phoneNumber', 'kind', 'proof', 'name', 'source', 'givenAt', 'covers'] as const

const kind = z
  .enum(consentKinds)
  .describe(
    '`written`: signed, on paper or by a form; `express`: said in so many words; `existing_relationship`: a customer who was told and did not object',
  )
const covers = z
  .enum(consentUses)
  .describe(
    'What was agreed to. Calls count as marketing: agreement to service calls alone lets none through',
  )

export const consent = z
  .object({
    ...base('consent'),
    phoneNumber: z.string().describe('In E.164 form'),
    name: z.string().optional(),
    kind,
    covers,
    proof: z.string(),
    source: z.string().optional(),
    givenAt: time,
    recordedById: id.optional().describe('The user who recorded it'),
    withdrawnAt: time.optional().describe('From then on it counts no more'),
    withdrawnById: id.optional().describe('The user who recorded the withdrawal'),
    withdrawalReason: z
      .string()
      .optional()
      .describe('`opt_out` when the number went on the Do Not Contact list'),
  })
  .meta({ id: 'Consent' })

export const recordConsent = operation({
  method: 'POST',
  path: '/consents',
  summary: 'Record a consent to calls',
  description:
    'That somebody agreed to be called by an AI voice, with the proof of it. The law of the called number’s country says whether calls need one, and of which kind; without it they are refused. A record is never changed or removed, only withdrawn.',
  tag: 'Consents',
  extension: true,
  permission: 'DoNotContact.EditDoNotContact',
  input: z.strictObject({
    phoneNumber: text(50).describe('The number that may be called; best in E.164 form'),
    name: optionalText(200).describe('Who gave it'),
    kind,
    covers: covers.default('ai_voice_marketing'),
    proof: lines(2000).describe('The words agreed to and where they were, or the address of the document'),
    source: optionalText(200).describe('How it was given, as in “form on our website”'),
    givenAt: timeInput.optional().describe('Now when left out'),
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
    'Reads the text of a CSV file with a consent a row: its number, its kind and its proof, and where known a name, a source, a date and what it covers. A row that cannot be read is left out and reported, the others are recorded. Sending the same file again records nothing twice, and brings back none that was withdrawn. For files over 4 MB use the command line.',
  tag: 'Consents',
  extension: true,
  permission: 'DoNotContact.EditDoNotContact',
  ...csvLimits,
  input: z.strictObject({
    csv,
    map: csvMap(consentColumns),
  }),
  output: z.object({
    ...csvReading(consentColumns),
    added: z.int(),
    alreadyPresent: z.int().describe('Recorded before, or twice in the file'),
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
  tag: 'Consents',
  extension: true,
  permission: 'DoNotContact.ReadDoNotContact',
  input: z.strictObject({
    ...pageInput,
    phoneNumber: optionalText(50).describe('Only those of this number, in any spelling'),
  }),
  output: pageOf(consent, 'Consent'),
})

export const withdrawConsent = operation({
  method: 'POST',
  path: '/consents/{consentId}/withdraw',
  summary: 'Withdraw a consent',
  description:
    'From now on it lets no call through. To be left alone altogether a number goes on the Do Not Contact list, which withdraws its consents too.',
  tag: 'Consents',
  extension: true,
  permission: 'DoNotContact.EditDoNotContact',
  input: z.strictObject({
    consentId: id.describe('The consent'),
    reason: optionalLines(500).describe('How it was withdrawn, as in “by email to Grace”'),
  }),
  output: consent,
  example: { input: { reason: 'By email to Grace' } },
})
