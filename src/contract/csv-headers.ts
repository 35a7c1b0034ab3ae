import {
  getInputName,
  mapPersonInputs,
  type OtherImportField,
  type ProspectField,
  personFieldNames,
  personFields,
  prospectFields,
} from './person-fields.ts'

/**
 * Recognizes the header names of CSV files. Shared by server and browser.
 */

/** Header names of the fields that `personFields` does not contain, preferred names first. */
const otherNames: Record<OtherImportField, string> = {
  fullName: `Full Name, Name, Display Name, Contact, Person, Contact Person, Vollständiger Name, Vor- und Nachname,
    Ansprechpartner, Kontaktname, Nom complet, Prénom et nom, Nombre completo, Nombre y apellidos,
    Nombre y apellido, Nom, Nombre`,
  company: `Company, Company Name, Current Company, Current Company Name, Organization, Organization Name,
    Organisation, Organisation Name, Organization 1 - Name, Account Name, Company / Account,
    Associated Company, Primary Company, Associated Company (Primary), Company Name for Emails, Employer,
    Firma, Firmenname, Unternehmen, Unternehmensname, Arbeitgeber, Entreprise, Société, Nom de l'entreprise,
    Nom de la société, Raison sociale, Employeur, Empresa, Compañía, Nombre de la empresa, Organización`,
  website: `Company Website, Company Domain, Company Domain Name, Website, Website URL, Domain, Company URL, Web,
    Company Website URL, Company Website Full, Organization Website, Website 1 - Value, Homepage, Webseite,
    Internetseite, Site web, Site internet, Nom de domaine, Sitio web, Página web, Dominio`,
}

/**
 * Header names by field. Case, accents, spaces and punctuation don't count, nor does a leading "Person", "Contact",
 * "Lead" or "Prospect".
 */
const columnNames: Record<ProspectField, string> = {
  ...mapPersonInputs(field => personFields[field].csvNames),
  ...otherNames,
}

/** Returns the field with this name, which may also be the one in the JSON of persons (`title` for `jobTitle`). */
export function findField(name: string): ProspectField | undefined {
  const key = normalizeName(name)
  const field = personFieldNames.find(known => normalizeName(known) === key)
  return field ? getInputName(field) : prospectFields.find(known => normalizeName(known) === key)
}

/** Maximum length of a value in characters. */
export const maxLengths: Record<ProspectField, number> = {
  ...mapPersonInputs(field => personFields[field].maxLength),
  fullName: personFields.firstName.maxLength + personFields.lastName.maxLength,
  company: 200,
  website: 2000,
}

/** Removes case, accents, spaces and punctuation from a header name. */
export const normalizeName = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

const fieldsByName = new Map<string, { field: ProspectField; rank: number }>()
for (const field of prospectFields)
  for (const [rank, name] of columnNames[field].split(',').entries()) {
    const key = normalizeName(name)
    if (!fieldsByName.has(key)) fieldsByName.set(key, { field, rank })
  }
for (const field of prospectFields)
  fieldsByName.set(normalizeName(field), fieldsByName.get(normalizeName(field)) ?? { field, rank: 0 })

/** Returns the field that a header name means, and its rank among the field's names (0 is preferred). */
export function recognizeField(name: string): { field: ProspectField; rank: number } | undefined {
  if (name.length > 200) return undefined
  const key = normalizeName(name)
  return fieldsByName.get(key) ?? fieldsByName.get(key.replace(/^(?:person|contact|lead|prospect)/, ''))
}

/** A column that is read; `rank` orders the columns of a field, the preferred one first. */
export type CsvColumn = { index: number; name: string; field: ProspectField; rank: number; isMapped: boolean }

/**
 * Recognizes the columns of a header, the preferred column of a field first. Mapped columns take precedence: a mapped
 * field is not read from other columns, and null ignores a column.
 */
export function recognizeColumns(
  header: readonly string[],
  mapped: ReadonlyMap<number, ProspectField | null> = new Map(),
): CsvColumn[] {
  const mappedFields = new Set(mapped.values())
  const ranked = header.flatMap((name, index): CsvColumn[] => {
    const field = mapped.get(index)
    if (field) return [{ index, name, field, isMapped: true, rank: -1 }]
    const found = field === null ? undefined : recognizeField(name)
    return found && !mappedFields.has(found.field) ? [{ index, name, isMapped: false, ...found }] : []
  })
  return resolveNameColumns(ranked.sort((a, b) => a.rank - b.rank))
}

/**
 * Treats a "Name" column beside a first-name column as the last name (German and French), and beside a last-name column
 * as the first name (Spanish).
 */
function resolveNameColumns(columns: CsvColumn[]): CsvColumn[] {
  const has = (field: ProspectField) => columns.some(column => column.field === field)
  const other = has('firstName') && !has('lastName') ? 'lastName' : 'firstName'
  if (has('firstName') === has('lastName')) return columns
  return columns.map(column =>
    !column.isMapped && /^(?:name|nom|nombre)$/.test(normalizeName(column.name))
      ? { ...column, field: other }
      : column,
  )
}

/** Reports whether these fields identify people: a way to contact them, or a full name with a company. */
export function canIdentify(fields: Iterable<ProspectField>): boolean {
  const found = new Set(fields)
  const hasName = found.has('fullName') || (found.has('firstName') && found.has('lastName'))
  return (
    found.has('email') || found.has('linkedinUrl') || found.has('phone') || (hasName && found.has('company'))
  )
}
