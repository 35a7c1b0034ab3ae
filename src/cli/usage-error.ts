/** The command was not understood: told like a wrong option, with the same exit code. */
export class UsageError extends Error {
  override name = 'UsageError'
}
