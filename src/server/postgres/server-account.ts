import { spawnSync } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'

/** The operating system account that runs the server and owns the cluster's files. */
export type ServerAccount = { uid: number; gid: number; name: string }

/** Our user ID; -1 on Windows, which has no user IDs and no packaged server. */
export const ownUid = process.geteuid?.() ?? -1

export const isRoot = ownUid === 0

/**
 * Returns our own account; as root, an unprivileged one, because PostgreSQL refuses to run as root. An existing cluster
 * keeps its owner, even if a `postgres` account is added later.
 */
export const findServerAccount = (clusterDir?: string): ServerAccount => {
  if (!isRoot) {
    return { uid: ownUid, gid: process.getegid?.() ?? -1, name: getAccountName(ownUid) }
  }
  const owner = clusterDir ? lstatSync(clusterDir, { throwIfNoEntry: false }) : undefined
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, name: getAccountName(owner.uid) }
  const found = findAccount('postgres') ?? findAccount('nobody')
  if (found) return found
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and this machine has no account "postgres" or "nobody". ' +
      'Start Overture as a normal user, or set DATABASE_URL.',
  )
}

/** Returns the `spawn` options to run a program as the account; empty unless we are root. */
export const toSpawnIdentity = (account: ServerAccount): { uid?: number; gid?: number } =>
  isRoot ? { uid: account.uid, gid: account.gid } : {}

/** Returns whether the account can enter a folder. Tries to enter it, which respects ACLs and mount options. */
export const canEnter = (account: ServerAccount, dir: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], { ...toSpawnIdentity(account), cwd: '/' }).status ===
  0

export const getAccountName = (uid: number): string => runId('-un', String(uid)) ?? `number ${uid}`

const findAccount = (name: string): ServerAccount | undefined => {
  const uid = Number(runId('-u', name))
  const gid = Number(runId('-g', name))
  return uid > 0 && gid > 0 ? { uid, gid, name } : undefined
}

const runId = (...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('id', args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
