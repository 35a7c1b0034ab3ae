import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readClientSettings } from '../server/kernel/config.ts'

/** The server that `overture api` calls, and the API token it uses. */
export type Profile = { url: string; token: string }

const getPath = (): string => join(readClientSettings().configHome, 'overture', 'profile.json')

export async function readProfile(): Promise<Profile | undefined> {
  try {
    return JSON.parse(await readFile(getPath(), 'utf8')) as Profile
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (error instanceof SyntaxError)
      throw new Error(`${getPath()} is damaged. Run \`overture api login\` again.`, { cause: error })
    throw error
  }
}

/** Saves the profile so that only its user can read it. Returns the path. */
export async function saveProfile(profile: Profile): Promise<string> {
  const path = getPath()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Overwriting an existing file would keep its mode.
  await rm(path, { force: true })
  await writeFile(path, `${JSON.stringify(profile)}\n`, { mode: 0o600 })
  return path
}

export const removeProfile = (): Promise<void> => rm(getPath(), { force: true })
