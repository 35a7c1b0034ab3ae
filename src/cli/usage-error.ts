/** Invalid usage of a command: exits with the same code as an unknown option. */
export class UsageError extends Error {
  override name = 'UsageError'
}
