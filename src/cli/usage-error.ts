/** Error for invalid usage of a command, which then exits with the same code as for an unknown option. */
export class UsageError extends Error {
  override name = 'UsageError'
}
