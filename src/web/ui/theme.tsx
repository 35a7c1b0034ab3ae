import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'overture.theme'

export const themes: { theme: Theme; label: string }[] = [
  { theme: 'system', label: 'System' },
  { theme: 'light', label: 'Light' },
  { theme: 'dark', label: 'Dark' },
]

/** Returns the theme stored in this browser and its setter. public/theme.js applies it before the first paint. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const root = document.documentElement
  const [theme, setTheme] = useState(root.dataset.theme as Theme)
  const storeTheme = (chosen: Theme) => {
    localStorage.setItem(STORAGE_KEY, chosen)
    root.dataset.theme = chosen
    setTheme(chosen)
  }
  return [theme, storeTheme]
}

export function ThemeChoice({ theme, onChoose }: { theme: Theme; onChoose: (theme: Theme) => void }) {
  return (
    <fieldset className="flex gap-0.5 rounded-control bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {themes.map(option => (
        <label
          key={option.theme}
          className="flex-1 cursor-pointer rounded-control px-2 py-1 text-center text-muted text-sm outline-accent hover:text-text has-checked:bg-surface has-checked:font-medium has-checked:text-text has-focus-visible:outline-2"
        >
          <input
            type="radio"
            name="theme"
            checked={option.theme === theme}
            onChange={() => onChoose(option.theme)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
