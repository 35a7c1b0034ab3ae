import {
  type ParsedEmail,
  type ParseLimits,
  parseAndClassify,
} from '../../../src/server/protocols/mime/parse.ts'

export const parseEmail = async (raw: Buffer, limits?: Partial<ParseLimits>): Promise<ParsedEmail> =>
  (await parseAndClassify(raw, limits)).email
