import { type BinaryLike, hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

export const toTag = (content: BinaryLike): string => `"${hash('sha256', content, 'base64url').slice(0, 27)}"`

/** Returns whether `If-None-Match` names this tag, weak or strong. */
export const isKnown = ({ headers }: FastifyRequest, tag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some(known => known.trim().replace(/^W\//, '') === tag)
