import type { tlsModes } from './mailboxes.ts'

export type MailServer = { host: string; port: number; tls: (typeof tlsModes)[number] }

export type MailProvider = {
  name: string
  /** Domains whose addresses belong to the provider alone. */
  domains?: readonly string[]
  /** Endings of the names in the MX records of companies that use the provider. */
  mx: readonly string[]
  smtp: MailServer
  imap: MailServer
  /** True when the user name for receiving is the part of the address before the @. */
  usesLocalPart?: boolean
  /** Name that the SPF record of a domain includes to let the provider send its mail. */
  spf?: string
  /** Instructions for providers that refuse the usual password. */
  advice?: { text: string; url: string }
}

const implicit = (host: string, port: number): MailServer => ({ host, port, tls: 'implicit' })
const starttls = (host: string, port = 587): MailServer => ({ host, port, tls: 'starttls' })

const zoho = (name: string, tld: string): MailProvider => ({
  name,
  domains: [`zohomail.${tld}`],
  mx: [`zoho.${tld}`],
  smtp: implicit(`smtp.zoho.${tld}`, 465),
  imap: implicit(`imap.zoho.${tld}`, 993),
  advice: {
    text: 'Turn on IMAP access in the settings of Zoho Mail. With two-factor sign-in, Zoho accepts an app password only.',
    url: `https://accounts.zoho.${tld}/home#security/app_password`,
  },
})

/** Mail providers by the key that a select uses. */
export const mailProviders = {
  google: {
    name: 'Gmail or Google Workspace',
    domains: ['gmail.com', 'googlemail.com'],
    mx: ['google.com', 'googlemail.com'],
    smtp: implicit('smtp.gmail.com', 465),
    imap: implicit('imap.gmail.com', 993),
    spf: '_spf.google.com',
    advice: {
      text: 'Google accepts an app password only. Turn on 2-Step Verification, then create an app password for Overture.',
      url: 'https://myaccount.google.com/apppasswords',
    },
  },
  microsoft: {
    name: 'Microsoft 365',
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    mx: ['protection.outlook.com'],
    smtp: starttls('smtp.office365.com'),
    imap: implicit('outlook.office365.com', 993),
    spf: 'spf.protection.outlook.com',
    advice: {
      text: 'Microsoft no longer lets other programs read mail with a password. Sending works if your administrator allows authenticated SMTP; without receiving, Overture cannot stop a sequence when somebody replies.',
      url: 'https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission',
    },
  },
  yahoo: {
    name: 'Yahoo',
    domains: ['yahoo.com', 'yahoo.co.uk', 'yahoo.de', 'yahoo.fr', 'ymail.com', 'rocketmail.com'],
    mx: ['yahoodns.net'],
    smtp: implicit('smtp.mail.yahoo.com', 465),
    imap: implicit('imap.mail.yahoo.com', 993),
    advice: {
      text: 'Yahoo accepts an app password only. Create one for Overture in the security settings of your account.',
      url: 'https://login.yahoo.com/account/security',
    },
  },
  icloud: {
    name: 'iCloud',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mx: ['mail.icloud.com'],
    smtp: starttls('smtp.mail.me.com'),
    imap: implicit('imap.mail.me.com', 993),
    spf: 'icloud.com',
    usesLocalPart: true,
    advice: {
      text: 'Apple accepts an app-specific password only. Create one for Overture.',
      url: 'https://account.apple.com/account/manage',
    },
  },
  fastmail: {
    name: 'Fastmail',
    domains: ['fastmail.com', 'fastmail.fm'],
    mx: ['messagingengine.com'],
    smtp: implicit('smtp.fastmail.com', 465),
    imap: implicit('imap.fastmail.com', 993),
    spf: 'spf.messagingengine.com',
    advice: {
      text: 'Fastmail accepts an app password only. Create one with access to mail.',
      url: 'https://app.fastmail.com/settings/security/apps',
    },
  },
  zoho: zoho('Zoho Mail', 'com'),
  zohoEurope: zoho('Zoho Mail (Europe)', 'eu'),
  ionos: {
    name: 'IONOS',
    mx: ['ionos.com', 'ionos.de', 'ionos.co.uk', 'ionos.fr', 'ionos.es', 'kundenserver.de', '1and1.com'],
    smtp: implicit('smtp.ionos.com', 465),
    imap: implicit('imap.ionos.com', 993),
  },
  gmx: {
    name: 'GMX',
    domains: ['gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch'],
    mx: ['gmx.net'],
    smtp: starttls('mail.gmx.net'),
    imap: implicit('imap.gmx.net', 993),
    advice: {
      text: 'Turn on IMAP access in the settings of GMX. With two-factor sign-in, GMX accepts an app password only.',
      url: 'https://hilfe.gmx.net/pop-imap/einschalten.html',
    },
  },
  ovh: {
    name: 'OVHcloud',
    mx: ['mail.ovh.net', 'mail.ovh.ca'],
    smtp: implicit('ssl0.ovh.net', 465),
    imap: implicit('ssl0.ovh.net', 993),
    spf: 'mx.ovh.com',
  },
} satisfies Record<string, MailProvider>

export type ProviderKey = keyof typeof mailProviders
export const providerKeys = Object.keys(mailProviders) as ProviderKey[]

/** Returns the provider to which all addresses of a domain belong. */
export const findProviderByDomain = (domain: string): ProviderKey | undefined =>
  providerKeys.find(key => (mailProviders[key] as MailProvider).domains?.includes(domain))

/** Returns the provider that receives the mail of a domain with these MX hosts. */
export const findProviderByMx = (hosts: readonly string[]): ProviderKey | undefined =>
  providerKeys.find(key =>
    mailProviders[key].mx.some(suffix =>
      hosts.some(host => host.toLowerCase() === suffix || host.toLowerCase().endsWith(`.${suffix}`)),
    ),
  )
