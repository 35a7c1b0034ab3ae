import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation } from './api.ts'
import type { Command, CommandResults } from './ui/command-palette.tsx'

const MIN_LENGTH = 2
const MAX_LENGTH = 100

/** Finds people, companies, campaigns and conversations for the command palette. */
export function useSearch(text: string): CommandResults {
  const navigate = useNavigate()
  const query = text.trim().slice(0, MAX_LENGTH)
  const isEnabled = query.length >= MIN_LENGTH
  const search = useOperation('search', { query }, { isEnabled })
  // Shown until the results for the current text arrive, so that the list doesn't flicker.
  const [previous, setPrevious] = useState(search.data)
  if (search.data && search.data !== previous) setPrevious(search.data)
  if (!isEnabled || search.error) return { commands: [], isCurrent: true }
  const data = search.data ?? previous
  if (!data) return { commands: [], isCurrent: false }
  const toCommand = (to: string, label: string, hint: string | undefined): Command => ({
    key: to,
    label,
    hint,
    run: () => void navigate({ to }),
  })
  const persons = data.persons.map(({ id, name, email, company }) =>
    toCommand(`/people/${id}`, name ?? email ?? 'Unnamed person', company ?? (name && email) ?? 'Person'),
  )
  const companies = data.companies.map(({ id, name, domain }) =>
    toCommand(`/companies/${id}`, name ?? domain ?? 'Unnamed company', 'Company'),
  )
  return {
    commands: [
      ...persons,
      ...companies,
      ...data.campaigns.map(({ id, name }) => toCommand(`/campaigns/${id}`, name, 'Campaign')),
      ...data.conversations.map(({ url, messageId, subject, text }) => ({
        ...toCommand(new URL(url).pathname, subject ?? text, 'Conversation'),
        key: messageId,
      })),
    ],
    isCurrent: search.data !== undefined,
  }
}
