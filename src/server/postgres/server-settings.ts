import { totalmem } from 'node:os'
import { type ClusterFolder, PORT } from './cluster-folder.ts'

const MB = 1024 * 1024

/**
 * Returns the server's settings. They are passed on the command line at each start, so that a data folder never keeps
 * settings from an older release. fsync, full_page_writes and synchronous_commit keep their default: on.
 */
export const serverSettings = ({ socketDir }: ClusterFolder): Record<string, string> => ({
  listen_addresses: '',
  port: String(PORT),
  unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
  unix_socket_permissions: '0700',
  cluster_name: 'overture',
  // A process opens up to 24 connections, and several processes may share a data folder.
  max_connections: '300',
  // A killed client must not keep its locks until its statement ends.
  client_connection_check_interval: '2s',

  shared_buffers: `${Math.round(Math.min(256, Math.max(64, totalmem() / MB / 8)))}MB`,
  work_mem: '8MB',
  // Queries are short index reads on solid-state disks, for which neither JIT nor parallelism pays off.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  max_wal_size: '1GB',
  // /dev/shm is 64 MB or absent in containers, and systemd clears it when a user logs out.
  dynamic_shared_memory_type: 'mmap',

  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // Omits failed statements, which may contain personal data. The application reports them.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
})
