import type { consentKinds, consentUses } from '../../../contract/consents.ts'

export type ConsentKind = (typeof consentKinds)[number]

export const kindLabels: Record<ConsentKind, string> = {
  written: 'written',
  express: 'express',
  existing_relationship: 'existing relationship',
}

export const kindDescriptions: Record<ConsentKind, string> = {
  written: 'Written: signed, on paper or by a form',
  express: 'Express: said in so many words',
  existing_relationship: 'Existing relationship: a customer who was told and did not object',
}

export const purposeDescriptions: Record<(typeof consentUses)[number], string> = {
  ai_voice_marketing: 'Calls by an AI voice that offer something',
  ai_voice_service: 'Calls by an AI voice about an order or contract only',
}

const or = new Intl.ListFormat('en', { type: 'disjunction' })
const names = new Intl.DisplayNames('en', { type: 'region' })

export const formatKinds = (kinds: readonly ConsentKind[]): string =>
  or.format(kinds.map(kind => kindLabels[kind]))

const toCountryNames = (countries: readonly string[]): string[] =>
  countries.map(code => names.of(code) ?? code).toSorted((a, b) => a.localeCompare(b, 'en'))

/** As in `Canada or United States`. */
export const formatCountryChoice = (countries: readonly string[]): string =>
  or.format(toCountryNames(countries))
export const formatCountryList = (countries: readonly string[]): string =>
  toCountryNames(countries).join(', ')
