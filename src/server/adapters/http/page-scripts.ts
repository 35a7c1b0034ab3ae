/** A built file, and the source files of its static imports. */
type Chunk = {
  file: string
  name?: string
  imports?: string[]
  isEntry?: boolean
  isDynamicEntry?: boolean
}

/** Chunks by source file, relative to src/web; chunks built from several source files have other keys. */
export type BuildManifest = Record<string, Chunk>

/**
 * Returns a function that lists the scripts of the page at a URL path, starting with those of the app. The list saves
 * the browser a round trip, because the app requests the scripts of a page only once it runs. Without a session, every
 * page of the app redirects to sign-in.
 */
export function openPageScripts(manifest: BuildManifest): (path: string, isSignedIn: boolean) => string[] {
  const entries = Object.keys(manifest).filter(source => manifest[source]!.isEntry)
  // Frames wrap every page of a signed-in user; see vite.config.ts.
  const frames = Object.keys(manifest).filter(source => manifest[source]!.name === 'frame')
  const isPage = (source: string) => Object.hasOwn(manifest, source) && manifest[source]!.isDynamicEntry
  const addFiles = (files: Set<string>, source: string): Set<string> => {
    const { file, imports = [] } = manifest[source]!
    return files.has(file) ? files : imports.reduce(addFiles, files.add(file))
  }
  return (path, isSignedIn) => {
    const [, area = '', name = area] = path === '/' ? ['', 'home'] : path.split('/')
    const pages = isSignedIn
      ? [`pages/${area}/${area}-layout.tsx`, `pages/${area}/${name}.tsx`].filter(isPage)
      : [area, 'sign-in']
          .map(page => `pages/sign-in/${page}.tsx`)
          .filter(isPage)
          .slice(0, 1)
    return [...[...entries, ...(isSignedIn ? frames : []), ...pages].reduce(addFiles, new Set())]
  }
}
