import { useEffect, useRef } from 'react'
import type { Command } from './command-palette.tsx'

/** The commands of all mounted components. */
const registered = new Set<{ current: Command[] }>()

/** Offers commands in the command palette while the component is mounted. */
export function usePageCommands(commands: Command[]): void {
  const latest = useRef(commands)
  useEffect(() => {
    latest.current = commands
  })
  useEffect(() => {
    registered.add(latest)
    return () => {
      registered.delete(latest)
    }
  }, [])
}

export const listPageCommands = (): Command[] => [...registered].flatMap(({ current }) => current)
