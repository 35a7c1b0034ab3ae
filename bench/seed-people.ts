import type { Sql } from '../src/server/kernel/db/database.ts'
import { withoutIndexes } from './seed.ts'

const PEOPLE_PER_COMPANY = 10
const CAMPAIGNS = 50
const REPS = 6
/** One person in this many has exchanged emails. */
const PEOPLE_PER_THREAD = 10
/** One person in this many has the rare last name. */
const PEOPLE_PER_RARE_NAME = 100_000

const firstNames =
  'James Maria Michael Anna David Sarah John Laura Thomas Julia Daniel Emma Peter Sofia Robert Katharina Andreas Élodie Martin Claire José Ana Stefan Christine Paul Nina Alexander Hannah Mark Lucía Christian Isabelle Richard Olivia Sébastien Camille Luca Giulia Marco Chiara Piotr Agnieszka Jan Kateřina Tomáš Zuzana Lars Ingrid Søren Mette Jürgen Bärbel Björn Åsa Mikael Elín Ravi Priya Arjun Ananya Wei Li Hiroshi Yuki Mehmet Ayşe Ahmed Fatima Omar Leïla João Inês Miguel Beatriz André Zoë Noah Chloé Oliver Amélie Nikolai Olga Ivan Tatiana Kwame Ngozi Chinedu Amara Liam Siobhán Eoin Aoife Gareth Bronwen Hamish Fiona Jean-Luc Marie-Hélène'
const lastNames =
  'Smith Müller Garcia Martin Johnson Schmidt Rossi Novák Williams Fernández Andersson Nguyen Brown Schneider López Dubois Jones Fischer González Kowalski Miller Weber Rodríguez Bernard Davis Meyer Martínez Petit Wilson Wagner Sánchez Robert Anderson Becker Pérez Richard Taylor Schulz Gómez Durand Thomas Hoffmann Silva Leroy Moore Schäfer Santos Moreau Jackson Koch Oliveira Simon White Bauer Pereira Laurent Harris Richter Costa Lefèvre Clark Klein Ferrari Michel Lewis Wolf Esposito Roux Walker Schröder Bianchi Fournier Hall Neumann Romano Girard Allen Schwarz Colombo Bonnet Young Zimmermann Ricci Lambert King Braun Marino Fontaine Wright Krüger Greco Rousseau Scott Hofmann Nielsen Vincent Green Hartmann Hansen Mercier Baker Lange Jensen Guérin Adams Werner Pedersen Boyer Nelson Krause Larsen Garnier Carter Lehmann Svensson Chevalier Mitchell Köhler Nilsson François Roberts Maier Karlsson Legrand Turner Huber Persson Gauthier Phillips Mayer Lindqvist Perrin Campbell Peters Virtanen Robin Parker Wójcik Korhonen Clément Evans Kamiński Horváth Morin Edwards Lewandowski Szabó Henry Collins Zieliński Tóth Roussel Stewart Dvořák Kovács Mathieu Morris Svoboda Nagy Gautier Murphy Černý Varga Masson Cook Procházka Papadopoulos Marchand Rogers Kučera Ivanov Duval Morgan Popescu Petrov Denis Cooper Ionescu Sokolov Dumont Peterson Yılmaz Patel Marie Reed Kaya Sharma Lemaire Bailey Demir Singh Noël Bell Çelik Gupta Meunier Kelly Wang Tanaka Blanc Howard Zhang Suzuki Brun Ward Chen Sato Giraud'
/** Half of the people have a last name composed of a first part and a last part. */
const firstParts =
  'Kirch Stein Berg Wald Hohen Linden Eich Feld Bach Rosen Gold Silber Winter Sommer Alten Neu Ober Unter Grün Weiß'
const lastParts =
  'mann hofer ner berger stein wald bach feld er meier müller huber hausen dorf brunner thal kamp horst reiter egger'
const industries =
  'Logistics Software Foods Textiles Energy Health Media Finance Steel Paper Optics Robotics Farms Travel Design Legal Water Glass Motors Learning'
const companyPrefixes =
  'Nordic Alpine Baltic Rhine Atlantic Pacific Harbour River Summit Valley Crown Union Central Royal Global Metro Delta Vista Polar Aurora Sterling Granite Cedar Maple Falcon Orion Zenith Meridian Keystone Pioneer'
const companySuffixes = 'GmbH|Ltd|Inc.|S.A.|AG|SAS|B.V.|s.r.o.|Group|& Partners'
const sentences = [
  'Thank you for your email about our warehouses.',
  'Tuesday at ten suits me, please send an invitation.',
  'We have chosen another supplier for this year.',
  'Could you share your price list for a hundred users?',
  'I am on parental leave until September.',
  'My colleague in purchasing is the right person for this.',
  'How does it work together with our invoicing?',
  'Nous avons déjà un contrat, mais votre offre nous intéresse.',
  'Please call me next week, I am travelling now.',
  'Our budget for the quarter is spent.',
  'Das klingt interessant, bitte schicken Sie mir Unterlagen.',
  'What about the security audit that you mentioned?',
]

const wordArray = (sql: Sql, words: string, separator = ' ') => sql`${words.split(separator)}::text[]`

/** Returns an SQL expression for a pseudorandom number from 0 to 1 that depends on row `i`. */
const randomFraction = (seed: number) => `((hashint8extended(i, ${seed}) & 1048575) / 1048576.0::float8)`

/** Picks a word that depends on row `i`. The higher `skew`, the more frequent the first words. */
const pick = (sql: Sql, words: string, seed: number, { skew = 1, separator = ' ' } = {}) => {
  const count = words.split(separator).length
  return sql`(${wordArray(sql, words, separator)})[1 + floor(${sql.unsafe(String(count))} * power(${sql.unsafe(randomFraction(seed))}, ${sql.unsafe(String(skew))}))::int]`
}

const toUuid = (sql: Sql, kind: number, i: string) =>
  sql.unsafe(
    `(lpad(to_hex(1700000000000 + (${i})::bigint), 12, '0') || '7000800000000000' || lpad(to_hex(${kind}), 4, '0'))::uuid`,
  )

/**
 * Seeds one account with `people` persons at companies, a fifth of them in campaigns, and email
 * conversations. Names have accents, and some are far more frequent than others. Needs a superuser, because
 * it skips foreign key checks.
 */
export async function seedPeople(
  owner: Sql,
  { accountId, people, log }: { accountId: string; people: number; log: (message: string) => void },
): Promise<void> {
  const companies = Math.ceil(people / PEOPLE_PER_COMPANY)
  const threads = Math.ceil(people / PEOPLE_PER_THREAD)
  await owner`set session_replication_role = replica`
  await owner`set synchronous_commit = off`
  await owner`insert into accounts (id, name) values (${accountId}, 'Acme')`
  await owner`
    insert into reps (account_id, id, name)
    select ${accountId}, ${toUuid(owner, 1, 'i')}, 'Rep ' || i from generate_series(1, ${REPS}) i`
  await owner`
    insert into mailboxes (account_id, id, rep_id, kind, email, status)
    select ${accountId}, ${toUuid(owner, 2, 'i')}, ${toUuid(owner, 1, 'i')}, 'sandbox', 'rep' || i || '@acme.example', 'active'
      from generate_series(1, ${REPS}) i`
  await owner`
    insert into campaigns (account_id, id, name, status, launched_at)
    select ${accountId}, ${toUuid(owner, 3, 'i')}, ${pick(owner, industries, 1)} || ' ' || ${pick(owner, companyPrefixes, 2)} || ' ' || i, 'active', now()
      from generate_series(1, ${CAMPAIGNS}::bigint) i`
  log(`find: seeding ${people} people`)
  await withoutIndexes(owner, ['companies', 'persons', 'prospects'], async () => {
    await owner`
      insert into companies (account_id, id, name, domain)
      select ${accountId}, ${toUuid(owner, 4, 'i')}, prefix || ' ' || industry || ' ' || ${pick(owner, companySuffixes, 5, { separator: '|' })},
             lower(prefix || '-' || industry) || i || '.example'
        from (select i, ${pick(owner, companyPrefixes, 3)} as prefix, ${pick(owner, industries, 4)} as industry
                from generate_series(1, ${companies}::bigint) i) c`
    await owner`
      insert into persons (account_id, id, first_name, last_name, email, phone, title, company_id, search_text, created_at, updated_at)
      select ${accountId}, ${toUuid(owner, 5, 'i')}, first_name, last_name, p.email, p.phone, 'Head of Sales', c.id,
             person_search_text(first_name, last_name, p.email, p.phone, c.name, null), at, at
        from (select n.*, lower(unaccent(replace(first_name || '.' || last_name, ' ', ''))) || i / ${companies} as local_part
                from (select i, timestamptz '2026-11-01' - i * interval '1 minute' as at, ${pick(owner, firstNames, 6, { skew: 1.3 })} as first_name,
                             case when i % ${PEOPLE_PER_RARE_NAME} = 77 then 'Featherstonehaugh'
                                  when i % 2 = 0 then ${pick(owner, lastNames, 7, { skew: 1.3 })}
                                  else ${pick(owner, firstParts, 8)} || ${pick(owner, lastParts, 9)} end as last_name
                        from generate_series(1, ${people}::bigint) i) n) n
        join companies c on c.account_id = ${accountId} and c.id = ${toUuid(owner, 4, `1 + i % ${companies}`)}
       cross join lateral (
              select local_part || '@' || c.domain as email,
                     case when i % 3 = 0 then '+4420' || lpad((i * 7919 % 100000000)::text, 8, '0') end as phone) p`
    await owner`
      insert into prospects (account_id, id, campaign_id, person_id, rep_id, status, steps_done, created_at)
      select ${accountId}, ${toUuid(owner, 6, 'i')}, ${toUuid(owner, 3, `1 + i % ${CAMPAIGNS}`)}, ${toUuid(owner, 5, 'i * 5')},
             ${toUuid(owner, 1, `1 + i % ${REPS}`)}, 'completed', 1, timestamptz '2026-11-01' - i * interval '5 minutes'
        from generate_series(1, ${Math.floor(people / 5)}::bigint) i`
  })
  log(`find: seeding ${threads} conversations`)
  await withoutIndexes(owner, ['email_threads', 'email_messages'], async () => {
    await owner`
      insert into email_threads (account_id, id, subject, person_id, campaign_id, rep_id, mailbox_id)
      select ${accountId}, ${toUuid(owner, 7, 'i')}, 'Hello', ${toUuid(owner, 5, `i * ${PEOPLE_PER_THREAD}`)}, ${toUuid(owner, 3, `1 + i % ${CAMPAIGNS}`)},
             ${toUuid(owner, 1, `1 + i % ${REPS}`)}, ${toUuid(owner, 2, `1 + i % ${REPS}`)}
        from generate_series(1, ${threads}::bigint) i`
    await owner`
      insert into email_messages (account_id, id, thread_id, campaign_id, rep_id, mailbox_id, type, status, subject, body, recipients,
                                  message_id, sent_at, is_last)
      select ${accountId}, ${toUuid(owner, 8, 'i')}, ${toUuid(owner, 7, 't')}, ${toUuid(owner, 3, `1 + t % ${CAMPAIGNS}`)},
             ${toUuid(owner, 1, `1 + t % ${REPS}`)}, ${toUuid(owner, 2, `1 + t % ${REPS}`)}, type, 'sent', 'Hello',
             concat_ws(' ', ${pick(owner, sentences.join('|'), 10, { separator: '|' })}, ${pick(owner, sentences.join('|'), 11, { separator: '|' })},
                       ${pick(owner, firstNames, 12)}, ${pick(owner, lastNames, 13)}),
             jsonb_build_object('to', jsonb_build_array(jsonb_build_object('email', 'rep@acme.example'))),
             '<' || i || '@acme.example>', timestamptz '2026-11-01' - i * interval '3 minutes', type = 'received'
        from (select i, 1 + i / 3 as t, (array['received', 'manual', 'campaign'])[1 + i % 3] as type
                from generate_series(0, ${threads * 3 - 1}::bigint) i) m`
  })
  log('find: analyzing')
  await owner`vacuum analyze`
  await owner`reset session_replication_role`
  await owner`reset synchronous_commit`
}
