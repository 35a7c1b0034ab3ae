import { spawnSync } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'

/** The account of the operating system that the server runs under and that owns the cluster's files. */
export type ServerAccount = { uid: number; gid: number; name: string }

/** Windows knows no such numbers; there is no packaged server for it either. */
export const ownUid = process.geteuid?.() ?? -1

export const isRoot = ownUid === 0

/**
 * Our own account; as root an unprivileged one, because PostgreSQL refuses to run as root. A cluster that
 * exists keeps its owner, so that a `postgres` account installed later changes nothing.
 */
export const findServerAccount = (clusterDir?: string): ServerAccount => {
  if (!isRoot) {
    return { uid: ownUid, gid: process.getegid?.() ?? -1, name: getAccountName(ownUid) }
  }
  const owner = clusterDir ? lstatSync(clusterDir, { throwIfNoEntry: false }) : undefined
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, name: getAccountName(owner.uid) }
  const found = lookUp('postgres') ?? lookUp('nobody')
  if (found) return found
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root and this machine has neither the account "postgres" nor "nobody". ' +
      'Start Overture as a normal user, or set DATABASE_URL.',
  )
}

/** What `spawn` needs to run a program as the account: nothing unless we are root. */
export const toSpawnIdentity = (account: ServerAccount): { uid?: number; gid?: number } =>
  isRoot ? { uid: account.uid, gid: account.gid } : {}

/** Asks the operating system by trying, so that access lists and mount options count too. */
export const canEnter = (account: ServerAccount, dir: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], { ...toSpawnIdentity(account), cwd: '/' }).status ===
  0

export const getAccountName = (uid: number): string => askId('-un', String(uid)) ?? `number ${uid}`

const lookUp = (name: string): ServerAccount | undefined => {
  const uid = Number(askId('-u', name))
  const gid = Number(askId('-g', name))
  return uid > 0 && gid > 0 ? { uid, gid, name } : undefined
}

const askId = (...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('id', args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
