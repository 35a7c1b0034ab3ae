import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Builds the web app. Must run before a server opens, because servers read the build at startup. */
export const buildWeb = (): void => {
  execFileSync('/bin/sh', [join(import.meta.dirname, '../../../bin/build-web')], { stdio: 'inherit' })
}
