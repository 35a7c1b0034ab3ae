import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, text, time } from './page.ts'

const tag = 'Account'
const permission = 'Account.ManageSingleSignOn'
const nothing = z.strictObject({})

const issuer = z
  .url({ protocol: /^https$/, error: 'give an address that begins with https://' })
  .max(500)
  .refine(address => !/[?#@]/.test(address), 'give the address alone, as the provider calls itself')

const fields = {
  issuer: z.string().describe('The identity provider, by the address with which it signs'),
  clientId: z.string(),
  domain: z.string().describe('Whose addresses the provider answers for'),
  isRequired: z
    .boolean()
    .describe('Whether members with an address of the domain, but owners, can sign in by it alone'),
}

export const newMemberRoles = ['viewer', 'member', 'manager'] as const

export const singleSignOn = z
  .object({
    ...base('single_sign_on'),
    ...fields,
    newMemberRole: z
      .enum(newMemberRoles)
      .optional()
      .describe('Who comes for the first time becomes a member in this role; nobody does when absent'),
    domainVerifiedAt: time.optional().describe('From then on it works'),
    recordName: z.string().describe('Where the TXT record belongs that proves the domain'),
    recordValue: z.string().describe('What that record says'),
  })
  .meta({ id: 'SingleSignOn' })

export const getSingleSignOn = operation({
  method: 'GET',
  path: '/single-sign-on',
  summary: 'Get how members sign in with an identity provider',
  tag,
  extension: true,
  permission,
  input: nothing,
  output: z.object({
    redirectUri: z.string().describe('What the provider has to know as the redirect address'),
    singleSignOn: singleSignOn.optional().describe('Absent where none is set'),
  }),
})

export const setSingleSignOn = operation({
  method: 'PUT',
  path: '/single-sign-on',
  summary: 'Let members sign in with an identity provider',
  description:
    'It speaks OpenID Connect and says of each address that it is verified (`email_verified`). It works once the domain is proved for this provider; another domain, issuer or client id has to be proved anew. A person decides this in the web app.',
  tag,
  extension: true,
  permission,
  needsSession: true,
  needsRecentSignIn: true,
  input: z.strictObject({
    issuer,
    clientId: text(500),
    clientSecret: text(2000)
      .optional()
      .describe('Required the first time and with another issuer; otherwise the stored one stays'),
    domain: text(253),
    isRequired: fields.isRequired.optional(),
    newMemberRole: z.enum(newMemberRoles).nullish(),
  }),
  output: singleSignOn,
  example: {
    input: {
      issuer: 'https://login.acme.example',
      clientId: 'overture',
      clientSecret: 'from the provider',
      domain: 'acme.example',
      newMemberRole: 'member',
    },
  },
})

export const verifySingleSignOn = operation({
  method: 'POST',
  path: '/single-sign-on/verify',
  summary: 'Prove the domain and try the identity provider',
  description: 'Looks for the TXT record, and reads what the provider says of itself.',
  tag,
  extension: true,
  permission,
  isRemote: true,
  timeoutMs: 30_000,
  input: nothing,
  output: singleSignOn
    .extend({ problems: z.array(z.string()).describe('What to mend; none when it works') })
    .meta({ id: 'VerifiedSingleSignOn' }),
})

export const deleteSingleSignOn = operation({
  method: 'DELETE',
  path: '/single-sign-on',
  summary: 'Sign in without the identity provider again',
  description: 'Members without a password ask for one by “Forgot your password?”.',
  tag,
  extension: true,
  permission,
  needsSession: true,
  needsRecentSignIn: true,
  input: nothing,
  output: done,
})
