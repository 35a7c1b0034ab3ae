import type { consentKinds, consentUses } from '../../../contract/consents.ts'

export type ConsentKind = (typeof consentKinds)[number]

export const kindWords: Record<ConsentKind, string> = {
  written: 'written',
  express: 'express',
  existing_relationship: 'existing relationship',
}

export const kindHelp: Record<ConsentKind, string> = {
  written: 'Written: signed, on paper or by a form',
  express: 'Express: said in so many words',
  existing_relationship: 'Existing relationship: a customer who was told and did not object',
}

export const useHelp: Record<(typeof consentUses)[number], string> = {
  ai_voice_marketing: 'Calls by an AI voice that offer something',
  ai_voice_service: 'Calls by an AI voice about an order or contract only',
}

const or = new Intl.ListFormat('en', { type: 'disjunction' })
const names = new Intl.DisplayNames('en', { type: 'region' })

export const kindsOf = (kinds: readonly ConsentKind[]): string =>
  or.format(kinds.map(kind => kindWords[kind]))

const namesOf = (countries: readonly string[]): string[] =>
  countries.map(code => names.of(code) ?? code).toSorted((a, b) => a.localeCompare(b, 'en'))

/** As in `Canada or United States`. */
export const oneOf = (countries: readonly string[]): string => or.format(namesOf(countries))
export const listOf = (countries: readonly string[]): string => namesOf(countries).join(', ')
