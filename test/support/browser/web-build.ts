import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Builds the web app. Call it before opening a server, which reads the build at startup. */
export const buildWeb = (): void => {
  execFileSync('/bin/sh', [join(import.meta.dirname, '../../../bin/build-web')], { stdio: 'inherit' })
}
