import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../api.ts'
import { getCompanyName, type Person } from '../../components/person-name.ts'
import { statusLabels } from '../../components/prospect-statuses.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useCustomFields } from './custom-values.tsx'

export type PersonColumn = Column<Person> & {
  key: string
  /** The value in a CSV file. */
  text: (person: Person) => string
}

const timeColumn = (key: 'createdAt' | 'lastContactedAt' | 'lastRepliedAt', head: string): PersonColumn => ({
  key,
  head,
  cell: person => person[key] && <Time at={person[key]} />,
  text: person => person[key] ?? '',
})
const textColumn = (
  key: 'title' | 'email' | 'phone' | 'linkedinUrl' | 'city' | 'country',
  head: string,
): PersonColumn => ({
  key,
  head,
  cell: person => person[key] && <span className="wrap-anywhere line-clamp-2">{person[key]}</span>,
  text: person => person[key] ?? '',
})

const builtIn: PersonColumn[] = [
  textColumn('title', 'Job title'),
  {
    key: 'company',
    head: 'Company',
    cell: person =>
      person.companyId && (
        <Link
          to="/companies/$companyId"
          params={{ companyId: person.companyId }}
          className="wrap-anywhere line-clamp-2 underline-offset-2 hover:underline narrow:min-w-36"
        >
          {getCompanyName(person)}
        </Link>
      ),
    text: ({ company }) => company ?? '',
  },
  textColumn('email', 'Email'),
  textColumn('phone', 'Phone'),
  textColumn('linkedinUrl', 'LinkedIn'),
  textColumn('city', 'City'),
  textColumn('country', 'Country'),
  {
    key: 'campaigns',
    head: 'Latest campaign',
    cell: ({ prospects }) =>
      prospects?.[0] && (
        <span className="inline-flex flex-wrap items-center gap-x-2">
          <span className="wrap-anywhere">{prospects[0].campaign}</span>
          <Badge>{statusLabels[prospects[0].status]}</Badge>
        </span>
      ),
    text: ({ prospects }) => prospects?.map(({ campaign }) => campaign).join(', ') ?? '',
  },
  {
    key: 'tags',
    head: 'Tags',
    cell: ({ tags }) => (
      <span className="flex flex-wrap gap-1">
        {tags?.map(tag => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
    ),
    text: ({ tags }) => tags?.join(', ') ?? '',
  },
  timeColumn('lastContactedAt', 'Last contacted'),
  timeColumn('lastRepliedAt', 'Last replied'),
  timeColumn('createdAt', 'Added'),
]
const defaultKeys = ['title', 'company', 'campaigns', 'lastContactedAt', 'lastRepliedAt']

const MAX_MAIN_COLUMNS = 2

type Columns = { all: PersonColumn[]; shown: PersonColumn[]; toggle: (key: string) => void }

/**
 * Returns the columns that the user chose, which this browser stores for each user. If the open view has its own
 * columns, pass them as `chosen`: they are returned instead, and changes call `onChoose` and are not stored.
 */
export function useColumns(
  chosen: string[] | undefined,
  onChoose: ((keys: string[]) => void) | undefined,
): Columns {
  const { user, account } = useSession()
  const storageKey = `overture.people-columns.${account?.id}.${user.id}`
  const { data: fields = [] } = useCustomFields('person')
  const [ownKeys, setOwnKeys] = useState(() => readKeys(storageKey))
  const keys = chosen ?? ownKeys
  const custom = fields.map(
    ({ key, label, type }): PersonColumn => ({
      key: `custom.${key}`,
      head: label,
      isNumber: type === 'number',
      cell: person => <span className="wrap-anywhere line-clamp-2">{person.custom?.[key]}</span>,
      text: person => String(person.custom?.[key] ?? ''),
    }),
  )
  const all = [...builtIn, ...custom]
  return {
    all,
    // A tablet has room for the name and two columns.
    shown: all
      .filter(({ key }) => keys.includes(key))
      .map((column, index) => ({ ...column, isMinor: index >= MAX_MAIN_COLUMNS })),
    toggle: key => {
      const next = keys.includes(key) ? keys.filter(other => other !== key) : [...keys, key]
      if (onChoose) return onChoose(next)
      localStorage.setItem(storageKey, JSON.stringify(next))
      setOwnKeys(next)
    },
  }
}

function readKeys(storageKey: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '')
    return Array.isArray(stored) ? stored.map(String) : defaultKeys
  } catch {
    return defaultKeys
  }
}

export function ColumnsButton({ columns: { all, shown, toggle } }: { columns: Columns }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Columns</Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Choose columns">
        <div className="grid gap-2.5">
          {all.map(({ key, head }) => (
            <CheckField
              key={key}
              label={head}
              checked={shown.some(column => column.key === key)}
              onChange={() => toggle(key)}
            />
          ))}
        </div>
      </Dialog>
    </>
  )
}
