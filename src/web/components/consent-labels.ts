import type { consentKinds, consentUses } from '../../contract/consents.ts'

export type ConsentKind = (typeof consentKinds)[number]

export const kindLabels: Record<ConsentKind, string> = {
  written: 'Written',
  express: 'Express',
  existing_relationship: 'Existing relationship',
}

export const kindDescriptions: Record<ConsentKind, string> = {
  written: 'Written: signed on paper or in a form',
  express: 'Express: explicitly stated',
  existing_relationship: 'Existing relationship: a customer who was informed and did not object',
}

export const purposeDescriptions: Record<(typeof consentUses)[number], string> = {
  ai_voice_marketing: 'Marketing calls by an AI voice',
  ai_voice_service: 'Service calls by an AI voice, about an order or contract',
}

const orList = new Intl.ListFormat('en', { type: 'disjunction' })
const names = new Intl.DisplayNames('en', { type: 'region' })

export const formatKinds = (kinds: readonly ConsentKind[]): string =>
  orList.format(kinds.map(kind => kindLabels[kind].toLowerCase()))

const toCountryNames = (countries: readonly string[]): string[] =>
  countries.map(code => names.of(code) ?? code).toSorted((a, b) => a.localeCompare(b, 'en'))

/** Formats countries as in `Canada or United States`. */
export const formatCountryChoice = (countries: readonly string[]): string =>
  orList.format(toCountryNames(countries))
export const formatCountryList = (countries: readonly string[]): string =>
  toCountryNames(countries).join(', ')
