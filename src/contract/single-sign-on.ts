import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, text, time } from './page.ts'

const tag = 'Account'
const permission = 'Account.ManageSingleSignOn'
const noInput = z.strictObject({})

const issuer = z
  .url({ protocol: /^https$/, error: 'must be a URL that begins with https://' })
  .max(500)
  .refine(
    address => !/[?#@]/.test(address),
    'must be the issuer URL of the provider, without query, fragment or user',
  )

const fields = {
  issuer: z.string().describe('Issuer URL of the identity provider'),
  clientId: z.string(),
  domain: z.string().describe('Email domain of the users who sign in with this provider'),
  isRequired: z
    .boolean()
    .describe(
      'Whether members with an address of the domain, except owners, must sign in with this provider',
    ),
}

export const newMemberRoles = ['viewer', 'member', 'manager'] as const

export const singleSignOn = z
  .object({
    ...base('single_sign_on'),
    ...fields,
    newMemberRole: z
      .enum(newMemberRoles)
      .optional()
      .describe('Role of users who sign in for the first time; if absent, they cannot sign in'),
    domainVerifiedAt: time
      .optional()
      .describe('When the domain was verified; single sign-on works from then on'),
    recordName: z.string().describe('Name of the TXT record that verifies the domain'),
    recordValue: z.string().describe('Value of the TXT record'),
  })
  .meta({ id: 'SingleSignOn' })

export const getSingleSignOn = operation({
  method: 'GET',
  path: '/single-sign-on',
  summary: 'Get single sign-on settings',
  description:
    'Returns the settings without the client secret, and the redirect URI to register with the provider.',
  tag,
  extension: true,
  permission,
  input: noInput,
  output: z.object({
    redirectUri: z.string().describe('Redirect URI to register with the provider'),
    singleSignOn: singleSignOn.optional().describe('Absent if not set up'),
  }),
})

export const setSingleSignOn = operation({
  method: 'PUT',
  path: '/single-sign-on',
  summary: 'Set up single sign-on',
  description:
    'The provider must support OpenID Connect and confirm each email address (`email_verified`). Works once the domain is verified; a different domain, issuer or client ID must be verified again. Only a person signed in to the web app can do this.',
  tag,
  extension: true,
  permission,
  needsSession: true,
  needsRecentSignIn: true,
  input: z.strictObject({
    issuer: issuer.describe('URL of the provider'),
    clientId: text(500).describe('Client ID at the provider'),
    clientSecret: text(2000)
      .optional()
      .describe('Required the first time and with a different issuer; otherwise the stored one is kept'),
    domain: text(253).describe('Part of the email addresses after the @'),
    isRequired: fields.isRequired.optional(),
    newMemberRole: z
      .enum(newMemberRoles)
      .nullish()
      .describe('Role of users who sign in for the first time; null or absent: they cannot sign in'),
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
  summary: 'Verify the domain and the identity provider',
  description: "Checks the TXT record and the provider's metadata.",
  tag,
  extension: true,
  permission,
  isRemote: true,
  timeoutMs: 30_000,
  input: noInput,
  output: singleSignOn
    .extend({ problems: z.array(z.string()).describe('Problems to fix; empty if there are none') })
    .meta({ id: 'VerifiedSingleSignOn' }),
})

export const deleteSingleSignOn = operation({
  method: 'DELETE',
  path: '/single-sign-on',
  summary: 'Delete single sign-on',
  description: 'Members without a password can request one with "Forgot your password?".',
  tag,
  extension: true,
  permission,
  needsSession: true,
  needsRecentSignIn: true,
  input: noInput,
  output: done,
})
