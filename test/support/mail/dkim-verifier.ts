import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Returns false and warns when dkimverify is missing; throws in CI, where these tests must run. */
export function hasDkimVerifier(): boolean {
  if (existsSync('/usr/bin/dkimverify')) return true
  if (process.env.CI) throw new Error('dkimverify is missing: install the python3-dkim package')
  console.warn('SKIPPED: tests that verify signatures need python3-dkim (apt-get install python3-dkim)')
  return false
}

const program = `
import dkim, sys
name, value = sys.argv[1:]
def look_up(asked, timeout=5):
    return value.encode() if asked.decode().rstrip('.') == name else None
try:
    print(dkim.DKIM(sys.stdin.buffer.read()).verify(dnsfunc=look_up))
except dkim.ValidationError:
    print(False)
`

/** Verifies the first signature with dkimpy, using this DNS record. */
export function verifyDkim(mail: Buffer, record: { name: string; value: string }): boolean {
  const args = ['-c', program, record.name, record.value]
  const { stdout, stderr } = spawnSync('/usr/bin/python3', args, { input: mail, encoding: 'utf8' })
  if (!/^(True|False)$/.test(stdout.trim())) throw new Error(stderr)
  return stdout.trim() === 'True'
}
