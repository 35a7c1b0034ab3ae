import { expect, test } from 'vitest'
import { type ColumnMap, chooseColumns } from './csv-columns.ts'

const chooseFields = (header: string) =>
  Object.fromEntries(
    chooseColumns(header.split(/[,;]/), {})
      .columns.toReversed()
      .map(({ field, name }) => [field, name]),
  )

const getError = (header: string[], map: ColumnMap): unknown => {
  try {
    return chooseColumns(header, map)
  } catch (error) {
    return error
  }
}

test.each([
  [
    'Apollo',
    'First Name,Last Name,Title,Company,Company Name for Emails,Email,Email Status,Seniority,Work Direct Phone,Home Phone,Mobile Phone,Corporate Phone,# Employees,Industry,Person Linkedin Url,Website,Company Linkedin Url,City,State,Country,Company City,Company Phone,Secondary Email',
    {
      firstName: 'First Name',
      lastName: 'Last Name',
      jobTitle: 'Title',
      company: 'Company',
      email: 'Email',
      phone: 'Work Direct Phone',
      linkedinUrl: 'Person Linkedin Url',
      website: 'Website',
      city: 'City',
      state: 'State',
      country: 'Country',
    },
  ],
  [
    'HubSpot',
    'Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Contact owner,Lead Status,Company name,Associated Company,Job Title,City,State/Region,Country/Region,Website URL,LinkedIn Bio,Time Zone',
    {
      firstName: 'First Name',
      lastName: 'Last Name',
      jobTitle: 'Job Title',
      company: 'Company name',
      email: 'Email',
      phone: 'Mobile Phone Number',
      linkedinUrl: 'LinkedIn Bio',
      website: 'Website URL',
      city: 'City',
      state: 'State/Region',
      country: 'Country/Region',
      timezone: 'Time Zone',
    },
  ],
  [
    'Salesforce leads',
    'Lead Owner,First Name,Last Name,Title,Company / Account,Street,City,State/Province,Zip,Country,Phone,Mobile,Fax,Email,Lead Source,Lead Status,Rating',
    {
      firstName: 'First Name',
      lastName: 'Last Name',
      jobTitle: 'Title',
      company: 'Company / Account',
      email: 'Email',
      phone: 'Mobile',
      city: 'City',
      state: 'State/Province',
      country: 'Country',
    },
  ],
  [
    'Salesforce contacts',
    'Salutation,First Name,Last Name,Title,Account Name,Mailing Street,Mailing City,Mailing State/Province,Mailing Country,Phone,Fax,Email,Account Owner',
    {
      firstName: 'First Name',
      lastName: 'Last Name',
      jobTitle: 'Title',
      company: 'Account Name',
      email: 'Email',
      phone: 'Phone',
      city: 'Mailing City',
      state: 'Mailing State/Province',
      country: 'Mailing Country',
    },
  ],
  [
    'Sales Navigator through Evaboot',
    'First Name,Last Name,Full Name,Current Job,Company Name,Company Domain,Email,Email Status,LinkedIn URL Public,Sales Navigator URL,Company LinkedIn URL,Location',
    {
      firstName: 'First Name',
      lastName: 'Last Name',
      fullName: 'Full Name',
      jobTitle: 'Current Job',
      company: 'Company Name',
      email: 'Email',
      linkedinUrl: 'LinkedIn URL Public',
      website: 'Company Domain',
    },
  ],
  [
    'PhantomBuster',
    'profileUrl,fullName,firstName,lastName,companyName,title,companyUrl,defaultProfileUrl',
    {
      fullName: 'fullName',
      firstName: 'firstName',
      lastName: 'lastName',
      company: 'companyName',
      jobTitle: 'title',
      linkedinUrl: 'defaultProfileUrl',
      website: 'companyUrl',
    },
  ],
  [
    'Pipedrive',
    'Person - ID,Person - Name,Person - Organization,Person - Email - Work,Person - Email - Home,Person - Phone - Work,Person - Phone - Mobile,Person - Owner',
    {
      fullName: 'Person - Name',
      company: 'Person - Organization',
      email: 'Person - Email - Work',
      phone: 'Person - Phone - Mobile',
    },
  ],
  [
    'Google Contacts',
    'First Name,Middle Name,Last Name,Organization Name,Organization Title,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - City,Address 1 - Country,Website 1 - Value',
    {
      firstName: 'First Name',
      lastName: 'Last Name',
      company: 'Organization Name',
      jobTitle: 'Organization Title',
      email: 'E-mail 1 - Value',
      phone: 'Phone 1 - Value',
      city: 'Address 1 - City',
      country: 'Address 1 - Country',
      website: 'Website 1 - Value',
    },
  ],
  [
    'Lemlist',
    'email,firstName,lastName,companyName,jobTitle,phone,linkedinUrl,companyDomain,icebreaker,timezone',
    {
      email: 'email',
      firstName: 'firstName',
      lastName: 'lastName',
      company: 'companyName',
      jobTitle: 'jobTitle',
      phone: 'phone',
      linkedinUrl: 'linkedinUrl',
      website: 'companyDomain',
      timezone: 'timezone',
    },
  ],
  [
    'Instantly',
    'Email,first_name,last_name,company_name,company_domain,job_title,phone,linkedIn,location,personalization,Lead Status,Interest Status',
    {
      email: 'Email',
      firstName: 'first_name',
      lastName: 'last_name',
      company: 'company_name',
      website: 'company_domain',
      jobTitle: 'job_title',
      phone: 'phone',
      linkedinUrl: 'linkedIn',
    },
  ],
  [
    'Smartlead',
    'id,campaign_lead_map_id,status,category,is_interested,created_at,first_name,last_name,email,phone_number,company_name,website,location,custom_fields,linkedin_profile,company_url,is_unsubscribed,reply_count',
    {
      firstName: 'first_name',
      lastName: 'last_name',
      email: 'email',
      phone: 'phone_number',
      company: 'company_name',
      website: 'website',
      linkedinUrl: 'linkedin_profile',
    },
  ],
  [
    'Sales Navigator through PhantomBuster',
    'profileUrl,fullName,firstName,lastName,companyName,title,companyId,companyUrl,regularCompanyUrl,summary,location,connectionDegree,vmid,linkedInProfileUrl,query,timestamp',
    {
      fullName: 'fullName',
      firstName: 'firstName',
      lastName: 'lastName',
      company: 'companyName',
      jobTitle: 'title',
      linkedinUrl: 'linkedInProfileUrl',
      website: 'companyUrl',
    },
  ],
  [
    'the Salesforce Data Loader',
    'Id,FirstName,LastName,Title,Account.Name,Email,Phone,MobilePhone,MailingCity,MailingState,MailingCountry,HasOptedOutOfEmail,DoNotCall',
    {
      firstName: 'FirstName',
      lastName: 'LastName',
      jobTitle: 'Title',
      company: 'Account.Name',
      email: 'Email',
      phone: 'MobilePhone',
      city: 'MailingCity',
      state: 'MailingState',
      country: 'MailingCountry',
    },
  ],
  [
    'a German list',
    'Anrede;Vorname;Name;Firma;Funktion;E-Mail-Adresse;Telefon;Handy;Ort;Land;Webseite',
    {
      firstName: 'Vorname',
      lastName: 'Name',
      company: 'Firma',
      jobTitle: 'Funktion',
      email: 'E-Mail-Adresse',
      phone: 'Handy',
      city: 'Ort',
      country: 'Land',
      website: 'Webseite',
    },
  ],
  [
    'a French list',
    'Prénom;Nom;Société;Poste;Adresse e-mail;Téléphone portable;Ville;Pays',
    {
      firstName: 'Prénom',
      lastName: 'Nom',
      company: 'Société',
      jobTitle: 'Poste',
      email: 'Adresse e-mail',
      phone: 'Téléphone portable',
      city: 'Ville',
      country: 'Pays',
    },
  ],
  [
    'a Spanish list',
    'Nombre;Apellidos;Empresa;Cargo;Correo electrónico;Teléfono móvil;Ciudad;País',
    {
      firstName: 'Nombre',
      lastName: 'Apellidos',
      company: 'Empresa',
      jobTitle: 'Cargo',
      email: 'Correo electrónico',
      phone: 'Teléfono móvil',
      city: 'Ciudad',
      country: 'País',
    },
  ],
])('recognizes the columns of %s', (_, header, fields) => {
  expect(chooseFields(header)).toEqual(fields)
})

test('a map accepts `title`, the name in the API, for the job title', () => {
  const { columns } = chooseColumns(['Mail', 'Rolle'], { Rolle: 'title' })
  expect(columns).toMatchObject([{ field: 'jobTitle', name: 'Rolle' }, { field: 'email' }])
})

test('the error for a custom field in a map names the option for custom fields', () => {
  expect(getError(['Mail', 'Plan'], { Plan: 'plan' })).toMatchObject({
    message: expect.stringMatching(/For custom fields, use `customColumns`\.$/),
  })
})

test('the error for an unknown field or column in a map suggests the nearest name', () => {
  expect(getError(['Mail (work)', 'Ort'], { 'Mail (wrok)': 'emial', Ort: '-' })).toMatchObject({
    code: 'ValidationError',
    details: [
      { path: 'map.Mail (wrok)', message: expect.stringContaining('did you mean "email"?') },
      { path: 'map.Mail (wrok)', message: expect.stringContaining('did you mean "Mail (work)"?') },
    ],
  })
})
