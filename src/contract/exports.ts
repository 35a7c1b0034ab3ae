import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, time } from './page.ts'

const tag = 'Exports'
const permission = 'Prospect.ReadProspect'

export const exportKinds = ['prospects', 'persons', 'opt_outs', 'messages'] as const
export const exportStatuses = ['running', 'finished', 'failed'] as const

export const dataExport = z
  .object({
    ...base('export'),
    kind: z.enum(exportKinds),
    campaignId: id.optional().describe('Only prospects or messages of this campaign'),
    status: z.enum(exportStatuses),
    failure: z.string().optional().describe('Reason the export failed'),
    rows: z.int().describe('Number of rows written so far'),
    bytes: z.int().describe('Size of the file so far'),
    url: z
      .string()
      .optional()
      .describe('URL of the CSV file, for the same user; present once the export is `finished`'),
    expiresAt: time.describe('When the file is deleted'),
  })
  .meta({ id: 'Export' })

const idInput = z.strictObject({ exportId: id.describe('Export ID') })

export const exportData = operation({
  method: 'POST',
  path: '/exports',
  summary: 'Export data',
  description:
    'Starts an export of all rows that exist now, oldest first, as a CSV file that only you can download. It contains what your role may read; members get the messages of their own reps. Poll getExport until it is `finished`, then GET `/v1/exports/{exportId}/download` with the same credentials. The file is deleted after 24 hours or when you start another export of the same kind. Files are at most 500 MB. `Conflict` while another export of the account is running.',
  tag,
  extension: true,
  permission,
  input: z
    .strictObject({
      kind: z.enum(exportKinds).describe('`opt_outs` is the Do Not Contact list, `messages` are emails'),
      campaignId: id.optional().describe('Only prospects or messages of this campaign'),
    })
    .refine(
      ({ kind, campaignId }) => campaignId === undefined || kind === 'prospects' || kind === 'messages',
      { path: ['campaignId'], message: 'is only allowed for prospects and messages' },
    ),
  output: dataExport,
  example: { input: { kind: 'prospects', campaignId: '01980000-0000-7000-8000-000000000001' } },
})

export const getExport = operation({
  method: 'GET',
  path: '/exports/{exportId}',
  summary: 'Get an export',
  description: 'Returns the progress of an export that you started, and the URL of its file.',
  tag,
  extension: true,
  permission,
  input: idInput,
  output: dataExport,
})

export const deleteExport = operation({
  method: 'DELETE',
  path: '/exports/{exportId}',
  summary: 'Delete an export',
  description: 'Deletes the file of an export that you started, or cancels it while it is running.',
  tag,
  extension: true,
  permission,
  input: idInput,
  output: done,
})
