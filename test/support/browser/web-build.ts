import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Before a server is opened: it serves the web app as it was built when it started. */
export const buildWeb = (): void => {
  execFileSync('/bin/sh', [join(import.meta.dirname, '../../../bin/build-web')], { stdio: 'inherit' })
}
