import type { tlsModes } from '../../../contract/mailboxes.ts'

type Server = { host: string; port: number; tls: (typeof tlsModes)[number] }

export type MailProvider = {
  name: string
  smtp: Server
  imap: Server
  /** Instructions for providers that refuse the usual password. */
  advice?: { text: string; url: string }
}

const implicit = (host: string, port: number): Server => ({ host, port, tls: 'implicit' })
const starttls = (host: string, port = 587): Server => ({ host, port, tls: 'starttls' })

/** Mail providers by the key that a select uses. */
export const mailProviders = {
  google: {
    name: 'Gmail or Google Workspace',
    smtp: implicit('smtp.gmail.com', 465),
    imap: implicit('imap.gmail.com', 993),
    advice: {
      text: 'Google accepts an app password only. Turn on 2-Step Verification, then create an app password for Overture.',
      url: 'https://myaccount.google.com/apppasswords',
    },
  },
  microsoft: {
    name: 'Microsoft 365',
    smtp: starttls('smtp.office365.com'),
    imap: implicit('outlook.office365.com', 993),
    advice: {
      text: 'Microsoft no longer lets other programs read mail with a password. Sending works if your administrator allows authenticated SMTP; without receiving, Overture cannot stop a sequence when somebody replies.',
      url: 'https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission',
    },
  },
  yahoo: {
    name: 'Yahoo',
    smtp: implicit('smtp.mail.yahoo.com', 465),
    imap: implicit('imap.mail.yahoo.com', 993),
    advice: {
      text: 'Yahoo accepts an app password only. Create one for Overture in the security settings of your account.',
      url: 'https://login.yahoo.com/account/security',
    },
  },
  icloud: {
    name: 'iCloud',
    smtp: starttls('smtp.mail.me.com'),
    imap: implicit('imap.mail.me.com', 993),
    advice: {
      text: 'Apple accepts an app-specific password only. Create one for Overture.',
      url: 'https://account.apple.com/account/manage',
    },
  },
  fastmail: {
    name: 'Fastmail',
    smtp: implicit('smtp.fastmail.com', 465),
    imap: implicit('imap.fastmail.com', 993),
    advice: {
      text: 'Fastmail accepts an app password only. Create one with access to mail.',
      url: 'https://app.fastmail.com/settings/security/apps',
    },
  },
  zoho: {
    name: 'Zoho Mail',
    smtp: implicit('smtp.zoho.com', 465),
    imap: implicit('imap.zoho.com', 993),
  },
  ionos: {
    name: 'IONOS',
    smtp: implicit('smtp.ionos.com', 465),
    imap: implicit('imap.ionos.com', 993),
  },
  gmx: {
    name: 'GMX',
    smtp: starttls('mail.gmx.net'),
    imap: implicit('imap.gmx.net', 993),
  },
} satisfies Record<string, MailProvider>

export type ProviderKey = keyof typeof mailProviders | 'other'

const domains: Record<string, ProviderKey> = {
  ...{
    'gmail.com': 'google',
    'googlemail.com': 'google',
    'outlook.com': 'microsoft',
    'hotmail.com': 'microsoft',
  },
  ...{
    'live.com': 'microsoft',
    'yahoo.com': 'yahoo',
    'ymail.com': 'yahoo',
    'icloud.com': 'icloud',
    'me.com': 'icloud',
  },
  ...{ 'mac.com': 'icloud', 'fastmail.com': 'fastmail', 'fastmail.fm': 'fastmail', 'zohomail.com': 'zoho' },
  ...{ 'gmx.net': 'gmx', 'gmx.de': 'gmx', 'gmx.at': 'gmx', 'gmx.ch': 'gmx' },
}

const getDomain = (email: string): string =>
  email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()

/** Returns the provider of an address; `other` for domains of companies, which any provider may host. */
export const findProvider = (email: string): ProviderKey => domains[getDomain(email)] ?? 'other'

/** Returns the provider's servers, and for `other` the names that most companies use. */
export function getServers(provider: ProviderKey, email: string): Pick<MailProvider, 'smtp' | 'imap'> {
  if (provider !== 'other') return mailProviders[provider]
  const domain = getDomain(email)
  return { smtp: starttls(`smtp.${domain}`), imap: implicit(`imap.${domain}`, 993) }
}
