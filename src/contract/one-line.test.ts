import { expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from './index.ts'
import * as signIn from './sign-in.ts'

/**
 * Fields that may contain line breaks, each by the end of its path: multi-line strings, files, values that are only
 * compared with stored ones, and values whose signature is verified.
 */
const multilinePattern = new RegExp(
  [
    String.raw`\.(body|expectedBody|expectedText|signature|description|reason|proof|text|notes|offer|answers|nextStep|tone|csv)`,
    String.raw`\.(postalAddress|optOutLine|disclosure|firstMessage|voicemailMessage|message|messageToReceiver)`,
    String.raw`\.(data|map|custom|customColumns)\.\*`,
    String.raw`(addOptOuts\.identifiers|removeOptOut)\.(identifier|name)`,
    // Cells of a spreadsheet, which become one line.
    String.raw`^addProspectsToCampaign\.data\..*`,
    String.raw`\.(cursor|next)`,
    // The key file of a service account.
    String.raw`^setMailClient\.secret`,
    String.raw`^sign-in\..*\.(\w*[pP]assword|code|proof|token|setUp)`,
    String.raw`^sign-in\..*\.credential\..*`,
  ]
    .map(each => `(${each})$`)
    .join('|'),
)

type Def = {
  type: string
  innerType?: z.core.$ZodType
  in?: z.core.$ZodType
  element?: z.core.$ZodType
  shape: Record<string, z.core.$ZodType>
  options: z.core.$ZodType[]
  keyType: z.core.$ZodType
  valueType: z.core.$ZodType
}

/** Lists every string of an input with its path, including those nested in objects, arrays and unions. */
function listStrings(schema: z.core.$ZodType, path: string): [path: string, schema: z.core.$ZodType][] {
  const def = schema._zod.def as unknown as Def
  const inner = def.innerType ?? def.in ?? def.element
  if (inner) return listStrings(inner, path)
  switch (def.type) {
    case 'string':
      return [[path, schema]]
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => listStrings(field, `${path}.${name}`))
    case 'union':
      return def.options.flatMap(each => listStrings(each, path))
    case 'record':
      return [def.keyType, def.valueType].flatMap(each => listStrings(each, `${path}.*`))
    default:
      return []
  }
}

const isInput = (schema: unknown): schema is z.ZodObject =>
  schema instanceof z.ZodObject && schema.def.catchall?._zod.def.type === 'never'

const strings = [
  ...Object.entries(operations).flatMap(([name, { input }]) => listStrings(input, name)),
  ...Object.entries(signIn).flatMap(([name, schema]) =>
    isInput(schema) ? listStrings(schema, `sign-in.${name}`) : [],
  ),
]

it.each([
  ['a line break', '\n'],
  ['a carriage return', '\r'],
  ['a tab', '\t'],
  ['a bell', '\u0007'],
  ['a C1 line break', '\u0085'],
])('every string that may become part of a header rejects %s', (_name, character) => {
  expect(strings.length).toBeGreaterThan(300)
  const acceptingInputs = strings.filter(
    ([path, schema]) =>
      !multilinePattern.test(path) && z.safeParse(schema, `Ada${character}Bcc: x@evil.example`).success,
  )
  expect(acceptingInputs.map(([path]) => path)).toEqual([])
})

it('names of people, senders and subjects are single lines', () => {
  const checked = strings.map(([path]) => path).filter(path => !multilinePattern.test(path))
  for (const path of [
    'createRep.name',
    'updateRep.name',
    'createMailbox.senderName',
    'updateMailbox.senderName',
    'createMailbox.email',
    'createEmailDraft.recipients.to.name',
    'createEmailDraft.recipients.bcc.email',
    'updateEmailDraft.subject',
    'createCampaign.steps.subject',
    'createCampaign.steps.variants.subject',
    'updatePerson.lastName',
    'createMailbox.smtp.user',
    'createMailbox.imap.password',
    'createAssistant.apiKey',
    'setReplyAgent.apiKey',
    'setSingleSignOn.clientSecret',
    'createWebhook.url',
    'updateUser.name',
    'sign-in.setUp.name',
    'sign-in.createInvitedUser.name',
  ]) {
    expect(checked, path).toContain(path)
  }
})
