import type { tlsModes } from './mailbox-inputs.ts'

export type MailServer = { host: string; port: number; tls: (typeof tlsModes)[number] }

/** Sending limits of a provider for one mailbox. */
export type ProviderLimits = {
  perDay: number
  /** A lower daily limit for addresses of the provider's own domains. */
  perDayPersonal?: number
  perMinute?: number
  /** Concurrent SMTP connections, across all programs. */
  connections?: number
}

export type MailProvider = {
  name: string
  /** Domains whose addresses all belong to the provider. */
  domains?: readonly string[]
  /** Endings of the names in the MX records of companies that use the provider. */
  mx: readonly string[]
  smtp: MailServer
  imap: MailServer
  /** Servers for companies that use the provider, if they differ from those for its own domains. */
  companies?: { smtp: MailServer; imap: MailServer }
  /** True when the user name for receiving is the part of the address before the @. */
  usesLocalPart?: boolean
  /** True when its servers store a copy of each sent email in the Sent folder. */
  storesSentMail?: boolean
  /** Other names of its SMTP server. */
  smtpAliases?: readonly string[]
  limits?: ProviderLimits
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
  companies: { smtp: implicit(`smtppro.zoho.${tld}`, 465), imap: implicit(`imappro.zoho.${tld}`, 993) },
  storesSentMail: true,
  advice: {
    text: 'Turn on IMAP access in the settings of Zoho Mail. With two-factor sign-in, Zoho accepts only an app password.',
    url: `https://accounts.zoho.${tld}/home#security/app_password`,
  },
})

/** Mail providers by key. */
export const mailProviders = {
  google: {
    name: 'Gmail or Google Workspace',
    domains: ['gmail.com', 'googlemail.com'],
    mx: ['google.com', 'googlemail.com'],
    smtp: implicit('smtp.gmail.com', 465),
    imap: implicit('imap.gmail.com', 993),
    storesSentMail: true,
    smtpAliases: ['smtp.googlemail.com'],
    limits: { perDay: 2_000, perDayPersonal: 500 },
    spf: '_spf.google.com',
    advice: {
      text: 'Google accepts only an app password. Turn on 2-Step Verification, then create an app password for Overture.',
      url: 'https://myaccount.google.com/apppasswords',
    },
  },
  microsoft: {
    name: 'Microsoft 365',
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    mx: ['protection.outlook.com'],
    smtp: starttls('smtp.office365.com'),
    imap: implicit('outlook.office365.com', 993),
    storesSentMail: true,
    smtpAliases: ['smtp-mail.outlook.com', 'outlook.office365.com'],
    limits: { perDay: 10_000, perMinute: 30, connections: 3 },
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
      text: 'Yahoo accepts only an app password. Create one for Overture in the security settings of your account.',
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
      text: 'Apple accepts only an app-specific password. Create one for Overture.',
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
      text: 'Fastmail accepts only an app password. Create one with access to mail.',
      url: 'https://app.fastmail.com/settings/security/apps',
    },
  },
  zoho: zoho('Zoho Mail', 'com'),
  zohoEurope: zoho('Zoho Mail (Europe)', 'eu'),
  zohoIndia: zoho('Zoho Mail (India)', 'in'),
  zohoAustralia: zoho('Zoho Mail (Australia)', 'com.au'),
  zohoJapan: zoho('Zoho Mail (Japan)', 'jp'),
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
      text: 'Turn on IMAP access in the settings of GMX. With two-factor sign-in, GMX accepts only an app password.',
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
  aol: {
    name: 'AOL',
    domains: ['aol.com', 'aim.com'],
    mx: [],
    smtp: implicit('smtp.aol.com', 465),
    imap: implicit('imap.aol.com', 993),
    advice: {
      text: 'AOL accepts only an app password. Create one for Overture in the security settings of your account.',
      url: 'https://login.aol.com/account/security',
    },
  },
  yandex: {
    name: 'Yandex',
    domains: ['yandex.com', 'yandex.ru', 'ya.ru'],
    mx: ['yandex.net', 'yandex.ru'],
    smtp: implicit('smtp.yandex.com', 465),
    imap: implicit('imap.yandex.com', 993),
    advice: {
      text: 'Turn on IMAP access in the settings of Yandex Mail, then create an app password for Overture.',
      url: 'https://id.yandex.com/security/app-passwords',
    },
  },
  mailRu: {
    name: 'Mail.ru',
    domains: ['mail.ru', 'bk.ru', 'inbox.ru', 'list.ru'],
    mx: ['mail.ru'],
    smtp: implicit('smtp.mail.ru', 465),
    imap: implicit('imap.mail.ru', 993),
    advice: {
      text: 'Mail.ru accepts only an app password. Create one for Overture in the security settings of your account.',
      url: 'https://account.mail.ru/user/2-step-auth/passwords',
    },
  },
} satisfies Record<string, MailProvider>

export type ProviderKey = keyof typeof mailProviders
export const providerKeys = Object.keys(mailProviders) as ProviderKey[]

/** Returns the provider to which all addresses of a domain belong. */
export const findProviderByDomain = (domain: string): ProviderKey | undefined =>
  providerKeys.find(key => (mailProviders[key] as MailProvider).domains?.includes(domain))

/** Returns the provider that an SMTP server belongs to. */
export const findProviderBySmtp = (host: string): ProviderKey | undefined =>
  providerKeys.find(key => {
    const { smtp, companies, smtpAliases = [] }: MailProvider = mailProviders[key]
    return [smtp.host, companies?.smtp.host, ...smtpAliases].includes(host.toLowerCase())
  })

export type SendingLimits = { name: string; perDay: number; perMinute?: number }

/** Returns the sending limits that a mailbox's provider imposes; undefined when unknown. */
export function findSendingLimits({
  email,
  smtpHost = '',
  signInProvider,
}: {
  email: string
  smtpHost?: string | undefined
  /** The provider that the mailbox signs in to with OAuth. */
  signInProvider?: string | undefined
}): SendingLimits | undefined {
  const key = signInProvider
    ? providerKeys.find(each => signInProvider.startsWith(each))
    : findProviderBySmtp(smtpHost)
  const { name, limits, domains = [] }: Partial<MailProvider> = key ? mailProviders[key] : {}
  if (!name || !limits) return undefined
  const { perDay, perDayPersonal = perDay, perMinute } = limits
  const isPersonal = domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
  return { name, perDay: isPersonal ? perDayPersonal : perDay, ...(perMinute && { perMinute }) }
}

/** Returns the provider that receives the mail of a domain with these MX hosts. */
export const findProviderByMx = (hosts: readonly string[]): ProviderKey | undefined =>
  providerKeys.find(key =>
    mailProviders[key].mx.some(suffix =>
      hosts.some(host => host.toLowerCase() === suffix || host.toLowerCase().endsWith(`.${suffix}`)),
    ),
  )
