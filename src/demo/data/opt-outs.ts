import type { identifierTypes } from '../../contract/dnc.ts'
import type { OptOutSource } from '../../server/domain/people/opt-outs/store-opt-outs.ts'

export type SeedOptOut = {
  kind: (typeof identifierTypes)[number]
  value: string
  name: string
  source: OptOutSource
  daysAgo: number
  time?: string
  /** Key of the campaign whose email was answered or bounced. */
  campaign?: string
}

export const acmeOptOuts: SeedOptOut[] = [
  {
    kind: 'email',
    value: 'joerg.hallerbach@molkerei-hallerbach.example',
    name: 'Jörg Hallerbach',
    source: 'reply',
    daysAgo: 79,
    time: '06:58',
    campaign: 'kuehlkettentag',
  },
  {
    kind: 'domain',
    value: 'umbrawerk.example',
    name: 'Umbrawerk, a competitor',
    source: 'cli',
    daysAgo: 70,
  },
  {
    kind: 'linkedin',
    value: 'https://www.linkedin.com/in/demo-vera-klimtova',
    name: 'Věra Klimtová',
    source: 'api',
    daysAgo: 61,
  },
  { kind: 'phone', value: '+442079460991', name: 'Front desk, Larn House', source: 'api', daysAgo: 40 },
  { kind: 'sms', value: '+447700900991', name: 'Ewan Strachan', source: 'api', daysAgo: 33 },
  { kind: 'whatsapp', value: '+12025550199', name: 'Dolores Whitacre', source: 'api', daysAgo: 21 },
  { kind: 'web_chat', value: 'visitor-4f1c', name: 'A website visitor', source: 'api', daysAgo: 15 },
  {
    kind: 'email',
    value: 'citlali.arriaga@lab-jacaranda.example',
    name: 'Citlali Arriaga',
    source: 'bounce',
    daysAgo: 14,
    campaign: 'pharma',
  },
  {
    kind: 'email',
    value: 'naomi.tanaka-reyes@cascadia-blood.example',
    name: 'Naomi Tanaka-Reyes',
    source: 'reply',
    daysAgo: 12,
    time: '17:26',
    campaign: 'pharma',
  },
  {
    kind: 'email',
    value: 'priscilla.ng@threerivers-vaccine.example',
    name: 'Priscilla Ng',
    source: 'bounce',
    daysAgo: 16,
    campaign: 'pharma',
  },
]

export const globexOptOuts: SeedOptOut[] = [
  { kind: 'domain', value: 'acme.example', name: 'Acme', source: 'cli', daysAgo: 29 },
]
