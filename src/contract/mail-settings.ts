import { z } from 'zod'
import { providerKeys } from './mail-providers.ts'
import { port, tlsModes } from './mailbox-inputs.ts'
import { operation } from './operation.ts'
import { text } from './page.ts'

const mailServer = z.object({
  host: z.string(),
  port,
  tls: z.enum(tlsModes),
  user: z.string().describe('Usual user name at this server'),
})

export const discoverMailSettings = operation({
  method: 'POST',
  path: '/mailboxes/discover',
  summary: 'Find the mail servers of an address',
  description:
    'Determines how to connect a mailbox before it is created: from the provider of its domain, its MX records, the configuration that its domain or a public database publishes, or its SRV records. Only the domain leaves this server. Verify the mailbox to learn whether the settings work.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  isRemote: true,
  timeoutMs: 30_000,
  input: z.strictObject({ email: text(320).describe('Email address of the mailbox') }),
  output: z.object({
    source: z
      .enum(['provider', 'configuration', 'srv', 'guess'])
      .describe(
        '`provider`: a well-known provider; `configuration`: published for this domain; `srv`: DNS records of the domain; `guess`: nothing was found, so these are common names',
      ),
    provider: z.enum(providerKeys).optional(),
    advice: z
      .object({ text: z.string(), url: z.string() })
      .optional()
      .describe('Steps to take at the provider before a password works'),
    smtp: mailServer,
    imap: mailServer,
  }),
  example: {
    input: { email: 'ada@gmail.com' },
    output: {
      source: 'provider',
      provider: 'google',
      smtp: { host: 'smtp.gmail.com', port: 465, tls: 'implicit', user: 'ada@gmail.com' },
      imap: { host: 'imap.gmail.com', port: 993, tls: 'implicit', user: 'ada@gmail.com' },
    },
  },
})
