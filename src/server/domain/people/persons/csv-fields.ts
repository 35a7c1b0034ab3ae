/**
 * What can be read of a person, with the column names that mean it, the preferred first: exports of Apollo, HubSpot,
 * Salesforce, Pipedrive, Lemlist, Evaboot, PhantomBuster, ZoomInfo, Google Contacts and LinkedIn, and common words in
 * German, French and Spanish. Case, accents, spaces and punctuation don't count, nor does a leading "Person",
 * "Contact", "Lead" or "Prospect". A person's own line comes before a shared one, and a company's switchboard is not
 * read at all: as a person's number it would make colleagues one person, and one opt-out silence them all.
 */
const columnNames = {
  firstName: `First Name, Given Name, Forename, First, FName, Vorname, Prénom, Nombre de pila, Primer nombre`,
  lastName: `Last Name, Family Name, Surname, Last, LName, Nachname, Familienname, Zuname, Nom de famille, Apellidos,
    Apellido, Primer apellido`,
  fullName: `Full Name, Name, Display Name, Contact, Person, Contact Person, Vollständiger Name, Vor- und Nachname,
    Ansprechpartner, Kontaktname, Nom complet, Prénom et nom, Nombre completo, Nombre y apellidos, Nombre y apellido,
    Nom, Nombre`,
  company: `Company, Company Name, Current Company, Current Company Name, Organization, Organization Name,
    Organisation, Organisation Name, Organization 1 - Name, Account Name, Company / Account, Associated Company,
    Primary Company, Associated Company (Primary), Company Name for Emails, Employer, Firma, Firmenname, Unternehmen,
    Unternehmensname, Arbeitgeber, Entreprise, Société, Nom de l'entreprise, Nom de la société, Raison sociale,
    Employeur, Empresa, Compañía, Nombre de la empresa, Organización`,
  jobTitle: `Job Title, Title, Position, Current Job Title, Current Title, Current Position, Current Job, Job,
    Job Position, Organization Title, Organization 1 - Title, Jobtitel, Jobbezeichnung, Berufsbezeichnung,
    Stellenbezeichnung, Funktion, Poste, Fonction, Intitulé du poste, Titre du poste, Cargo, Puesto,
    Puesto de trabajo, Título del puesto`,
  email: `Work Email, Business Email, Professional Email, Email - Work, Email (Work), Verified Email, Email,
    Email Address, Work Email Address, Primary Email, Mail, Email 1, E-mail 1 - Value, E-Mail-Adresse, Mailadresse,
    E-Mail geschäftlich, Courriel, Adresse e-mail, Adresse mail, E-mail professionnel, Correo electrónico, Correo,
    Dirección de correo electrónico, Email profesional, Correo de trabajo, Secondary Email, Email 2, E-mail 2 - Value,
    Tertiary Email, Email 3, Additional Email Addresses, Other Email, Email - Other, Personal Email, Email - Home`,
  linkedinUrl: `LinkedIn URL, LinkedIn, LinkedIn URL Public, Public LinkedIn URL, LinkedIn Profile,
    LinkedIn Profile URL, LinkedIn Public Profile URL, LinkedIn Link, LinkedIn Profile Link, LinkedIn Bio,
    LinkedIn Contact Profile URL, Profile LinkedIn URL, HS LinkedIn URL, LinkedIn-Profil, Profil LinkedIn,
    URL LinkedIn, Perfil de LinkedIn, URL de LinkedIn, LinkedIn URL Unique ID, Default Profile URL,
    Public Profile URL, Profile URL, Profile Link, URL`,
  phone: `Work Direct Phone, Direct Phone, Direct Phone Number, Direct Dial, Ligne directe, Mobile Phone,
    Mobile Phone Number, Mobile, Mobile Number, Cell, Cell Phone, Phone - Mobile, Handy, Handynummer, Mobil,
    Mobiltelefon, Mobilnummer, Téléphone portable, Téléphone mobile, Portable, Teléfono móvil, Móvil, Celular,
    Teléfono celular, Phone, Phone Number, Primary Phone, Work Phone, Phone - Work, Business Phone, Telephone, Phone 1,
    Phone 1 - Value, Telefon, Telefonnummer, Rufnummer, Telefon geschäftlich, Téléphone, Numéro de téléphone, Tél,
    Teléfono, Número de teléfono, Phone 2, Phone 2 - Value, Other Phone, Phone - Other, Home Phone, Phone - Home`,
  website: `Company Website, Company Domain, Company Domain Name, Website, Website URL, Domain, Company URL, Web,
    Company Website URL, Company Website Full, Organization Website, Website 1 - Value, Homepage, Webseite,
    Internetseite, Site web, Site internet, Nom de domaine, Sitio web, Página web, Dominio`,
  city: `City, Mailing City, Address 1 - City, Stadt, Ort, Wohnort, Ville, Ciudad`,
  state: `State, State/Region, State/Province, State/Province/Region, Region, Province, Mailing State,
    Mailing State/Province, Address 1 - Region, Bundesland, Provincia, Comunidad autónoma`,
  country: `Country, Country/Region, Mailing Country, Address 1 - Country, Land, Pays, País`,
  timezone: `Timezone, Time Zone, Zeitzone, Fuseau horaire, Zona horaria`,
} as const

export type ProspectField = keyof typeof columnNames

export const prospectFields = Object.keys(columnNames) as ProspectField[]

/** Characters a value may have. */
export const maxLengths: Record<ProspectField, number> = {
  firstName: 200,
  lastName: 200,
  fullName: 400,
  company: 200,
  jobTitle: 200,
  email: 320,
  linkedinUrl: 2000,
  phone: 50,
  website: 2000,
  city: 200,
  state: 200,
  country: 200,
  timezone: 64,
}

/** A column name reduced to what counts in it. */
export const normalizeName = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

const known = new Map<string, { field: ProspectField; rank: number }>()
for (const field of prospectFields)
  for (const [rank, name] of columnNames[field].split(',').entries()) {
    const key = normalizeName(name)
    if (!known.has(key)) known.set(key, { field, rank })
  }
for (const field of prospectFields)
  known.set(normalizeName(field), known.get(normalizeName(field)) ?? { field, rank: 0 })

/** The field that a column's name means by itself, and how much it is preferred (0 most). */
export function recognizeField(name: string): { field: ProspectField; rank: number } | undefined {
  if (name.length > 200) return undefined
  const key = normalizeName(name)
  return known.get(key) ?? known.get(key.replace(/^(?:person|contact|lead|prospect)/, ''))
}
