import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'overture.theme'

export const themes: { theme: Theme; label: string }[] = [
  { theme: 'system', label: 'System' },
  { theme: 'light', label: 'Light' },
  { theme: 'dark', label: 'Dark' },
]

/** Kept in this browser; public/theme.js reads it there before the first paint. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const root = document.documentElement
  const [theme, setTheme] = useState(root.dataset.theme as Theme)
  const choose = (chosen: Theme) => {
    localStorage.setItem(KEY, chosen)
    root.dataset.theme = chosen
    setTheme(chosen)
  }
  return [theme, choose]
}

export function ThemeChoice({ theme, onChoose }: { theme: Theme; onChoose: (theme: Theme) => void }) {
  return (
    <fieldset className="flex gap-0.5 rounded-control bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {themes.map(choice => (
        <label
          key={choice.theme}
          className="flex-1 cursor-pointer rounded-control px-2 py-1 text-center text-muted text-sm outline-accent hover:text-text has-checked:bg-surface has-checked:font-medium has-checked:text-text has-focus-visible:outline-2"
        >
          <input
            type="radio"
            name="theme"
            checked={choice.theme === theme}
            onChange={() => onChoose(choice.theme)}
            className="sr-only"
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  )
}
