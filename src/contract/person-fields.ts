/** A field of a person. */
type Definition = {
  /** Column of the table `persons`, of type `text`. */
  column: string
  label: string
  /** Maximum length in characters. */
  maxLength: number
  /** Name in prospect input, CSV files and templates. Defaults to the JSON name. */
  inputName?: string
  /** Part of the specified Person: null when unknown. Other fields are absent when unknown. */
  isSpecified?: true
  /** Accepted by addProspectsToCampaign, whose fields are specified. */
  isProspectInput?: true
  /** Defaults to true: templates may use the field, under its JSON name and its input name. */
  isVariable?: false
  /** Header names in CSV files, the preferred first. */
  csvNames: string
}

/**
 * The fields of a person: the one place that lists them. Contract schemas, CSV import and export, template variables,
 * previews and the SQL of persons derive from it. A new field is one entry here and a migration that adds its column.
 *
 * The CSV names are those of exports from Apollo, HubSpot, Salesforce, Pipedrive, Lemlist, Evaboot, PhantomBuster,
 * ZoomInfo, Google Contacts and LinkedIn, and common words in German, French and Spanish. A person's own phone line
 * comes before a shared one. A company's switchboard is not imported: as the number of several persons, it would merge
 * colleagues into one person, and one opt-out would block them all.
 */
export const personFields = {
  firstName: {
    column: 'first_name',
    label: 'First name',
    maxLength: 200,
    isSpecified: true,
    isProspectInput: true,
    csvNames: `First Name, Given Name, Forename, First, FName, Vorname, Prénom, Nombre de pila, Primer nombre`,
  },
  lastName: {
    column: 'last_name',
    label: 'Last name',
    maxLength: 200,
    isSpecified: true,
    isProspectInput: true,
    csvNames: `Last Name, Family Name, Surname, Last, LName, Nachname, Familienname, Zuname, Nom de famille, Apellidos,
      Apellido, Primer apellido`,
  },
  email: {
    column: 'email',
    label: 'Email address',
    maxLength: 320,
    isSpecified: true,
    isProspectInput: true,
    csvNames: `Work Email, Business Email, Professional Email, Email - Work, Email (Work), Verified Email, Email,
      Email Address, Work Email Address, Primary Email, Mail, Email 1, E-mail 1 - Value, E-Mail-Adresse,
      Mailadresse, E-Mail geschäftlich, Courriel, Adresse e-mail, Adresse mail, E-mail professionnel,
      Correo electrónico, Correo, Dirección de correo electrónico, Email profesional, Correo de trabajo,
      Secondary Email, Email 2, E-mail 2 - Value, Tertiary Email, Email 3, Additional Email Addresses,
      Other Email, Email - Other, Personal Email, Email - Home`,
  },
  title: {
    column: 'title',
    label: 'Job title',
    maxLength: 200,
    inputName: 'jobTitle',
    isSpecified: true,
    isProspectInput: true,
    csvNames: `Job Title, Title, Position, Current Job Title, Current Title, Current Position, Current Job, Job,
      Job Position, Organization Title, Organization 1 - Title, Jobtitel, Jobbezeichnung, Berufsbezeichnung,
      Stellenbezeichnung, Funktion, Poste, Fonction, Intitulé du poste, Titre du poste, Cargo, Puesto,
      Puesto de trabajo, Título del puesto`,
  },
  phone: {
    column: 'phone',
    label: 'Phone number in E.164 format',
    maxLength: 50,
    isSpecified: true,
    isProspectInput: true,
    csvNames: `Work Direct Phone, Direct Phone, Direct Phone Number, Direct Dial, Ligne directe, Mobile Phone,
      Mobile Phone Number, Mobile, Mobile Number, Cell, Cell Phone, Phone - Mobile, Handy, Handynummer, Mobil,
      Mobiltelefon, Mobilnummer, Téléphone portable, Téléphone mobile, Portable, Teléfono móvil, Móvil,
      Celular, Teléfono celular, Phone, Phone Number, Primary Phone, Work Phone, Phone - Work, Business Phone,
      Telephone, Phone 1, Phone 1 - Value, Telefon, Telefonnummer, Rufnummer, Telefon geschäftlich, Téléphone,
      Numéro de téléphone, Tél, Teléfono, Número de teléfono, Phone 2, Phone 2 - Value, Other Phone,
      Phone - Other, Home Phone, Phone - Home`,
  },
  linkedinUrl: {
    column: 'linkedin_url',
    label: 'URL of the LinkedIn profile',
    maxLength: 2000,
    isSpecified: true,
    isProspectInput: true,
    csvNames: `LinkedIn URL, LinkedIn, LinkedIn URL Public, Public LinkedIn URL, LinkedIn Profile, LinkedIn Profile URL,
      LinkedIn Public Profile URL, LinkedIn Link, LinkedIn Profile Link, LinkedIn Bio,
      LinkedIn Contact Profile URL, Profile LinkedIn URL, HS LinkedIn URL, LinkedIn-Profil, Profil LinkedIn,
      URL LinkedIn, Perfil de LinkedIn, URL de LinkedIn, LinkedIn URL Unique ID, Default Profile URL,
      Public Profile URL, Profile URL, Profile Link, URL`,
  },
  city: {
    column: 'city',
    label: 'City',
    maxLength: 200,
    isSpecified: true,
    csvNames: `City, Mailing City, Address 1 - City, Stadt, Ort, Wohnort, Ville, Ciudad`,
  },
  state: {
    column: 'state',
    label: 'State or region',
    maxLength: 200,
    isSpecified: true,
    csvNames: `State, State/Region, State/Province, State/Province/Region, Region, Province, Mailing State,
      Mailing State/Province, Address 1 - Region, Bundesland, Provincia, Comunidad autónoma`,
  },
  country: {
    column: 'country',
    label: 'Country',
    maxLength: 200,
    isSpecified: true,
    csvNames: `Country, Country/Region, Mailing Country, Address 1 - Country, Land, Pays, País`,
  },
  timezone: {
    column: 'timezone',
    label: 'IANA time zone, such as Europe/Lisbon',
    maxLength: 64,
    isVariable: false,
    csvNames: `Timezone, Time Zone, Zeitzone, Fuseau horaire, Zona horaria`,
  },
} as const satisfies Record<string, Definition>

type Fields = typeof personFields
type InputName<F extends PersonField> = F extends PersonField
  ? Fields[F] extends { inputName: infer N extends string }
    ? N
    : F
  : never
type ProspectInputField = {
  [F in PersonField]: Fields[F] extends { isProspectInput: true } ? F : never
}[PersonField]
type VariableField = {
  [F in PersonField]: Fields[F] extends { isVariable: false } ? never : F
}[PersonField]

export type PersonField = keyof Fields
export type SpecifiedPersonField = {
  [F in PersonField]: Fields[F] extends { isSpecified: true } ? F : never
}[PersonField]
export type PersonInputName = InputName<PersonField>
export type PersonVariable = VariableField | InputName<VariableField>

const definitions: Record<PersonField, Definition> = personFields

export const personFieldNames = Object.keys(personFields) as PersonField[]

export const isSpecified = (field: PersonField): boolean => definitions[field].isSpecified === true

/** Returns the field's name in prospect input, CSV files and templates. */
export const getInputName = (field: PersonField): PersonInputName =>
  (definitions[field].inputName ?? field) as PersonInputName

const isVariable = (field: PersonField): boolean => definitions[field].isVariable !== false

/** Returns an object with a value for each field. */
export const mapPersonFields = <T>(toValue: (field: PersonField) => T): Record<PersonField, T> =>
  Object.fromEntries(personFieldNames.map(field => [field, toValue(field)])) as Record<PersonField, T>

/** Returns an object with a value for each field, by input name. */
export const mapPersonInputs = <T>(toValue: (field: PersonField) => T): Record<PersonInputName, T> =>
  mapByInputName(personFieldNames, toValue)

/** Fields of imports that `personFields` does not contain. */
const otherImportFields = ['fullName', 'company', 'website'] as const
export type OtherImportField = (typeof otherImportFields)[number]

/** A field of people that a column of a CSV file can contain. */
export type ProspectField = PersonInputName | OtherImportField
export const prospectFields: readonly ProspectField[] = [
  ...personFieldNames.map(getInputName),
  ...otherImportFields,
]

/** Returns an object with a value for each field of addProspectsToCampaign, by input name. */
export const mapProspectInputs = <T>(
  toValue: (field: PersonField) => T,
): Record<InputName<ProspectInputField>, T> =>
  mapByInputName(
    personFieldNames.filter(field => definitions[field].isProspectInput),
    toValue,
  )

/** Returns an object with a value for each field that templates may use, by input name. */
export const mapVariableInputs = <T>(
  toValue: (field: PersonField) => T,
): Record<InputName<VariableField>, T> => mapByInputName(personFieldNames.filter(isVariable), toValue)

/** Returns an object with a value for each template variable. A field with an input name is two variables. */
export const mapPersonVariables = <T>(toValue: (field: PersonField) => T): Record<PersonVariable, T> =>
  Object.fromEntries(
    personFieldNames
      .filter(isVariable)
      .flatMap(field => [field, getInputName(field)].map(name => [name, toValue(field)])),
  ) as Record<PersonVariable, T>

const mapByInputName = <N extends string, T>(
  fields: readonly PersonField[],
  toValue: (field: PersonField) => T,
): Record<N, T> =>
  Object.fromEntries(fields.map(field => [getInputName(field), toValue(field)])) as Record<N, T>
