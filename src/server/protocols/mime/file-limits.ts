export const MAX_FILE_BYTES = 10_000_000
export const unknownFileType = 'application/octet-stream'
