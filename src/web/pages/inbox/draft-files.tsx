import { useRef, useState } from 'react'
import { downloadAttachment, type UploadedFile, uploadFile } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CloseIcon } from '../../ui/icons.tsx'
import { type Attachment, formatSize } from './message-attachments.tsx'

const MAX_FILES = 20
const MAX_FILE_BYTES = 10_000_000
const MAX_TOTAL_BYTES = 14_000_000

type FileInfo = { name: string; size: number }
type StoredFile = FileInfo & { id: string }

type Change = (update: (files: readonly UploadedFile[]) => readonly UploadedFile[]) => void

/** Attaches files to a draft, one after the other. */
export function useUploads(files: readonly UploadedFile[], change: Change) {
  const [uploading, setUploading] = useState<readonly FileInfo[]>([])
  const [errors, setErrors] = useState<readonly string[]>([])
  /** Resolves to the files that were not attached. */
  const attach = async <F extends FileInfo>(
    chosen: readonly F[],
    store: (file: F) => Promise<UploadedFile>,
  ): Promise<readonly F[]> => {
    const error = findError([...files, ...uploading, ...chosen])
    setErrors(error ? [error] : [])
    if (error) return chosen
    const failed: F[] = []
    setUploading(before => [...before, ...chosen])
    for (const file of chosen) {
      await store(file).then(
        uploaded => change(before => [...before, uploaded]),
        error => {
          failed.push(file)
          setErrors(before => [...before, `${file.name} was not attached. ${error.message}`])
        },
      )
      setUploading(before => before.filter(other => other !== file))
    }
    return failed
  }
  return {
    uploading,
    errors,
    upload: (chosen: readonly File[]) => attach(chosen, uploadFile),
    /** Attaches copies of files that the account has stored. Resolves to those that were not attached. */
    attachCopies: (originals: readonly StoredFile[]) =>
      attach(originals, async original => uploadFile(await downloadAttachment(original))),
  }
}

function findError(files: readonly FileInfo[]): string | undefined {
  const empty = files.find(({ size }) => size === 0)
  const large = files.find(({ size }) => size > MAX_FILE_BYTES)
  if (empty) return `${empty.name} is empty.`
  if (large) return `${large.name} is over 10 MB. Share a link to it instead.`
  if (files.length > MAX_FILES) return `An email can have at most ${MAX_FILES} files.`
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_TOTAL_BYTES)
    return 'The files of an email can be at most 14 MB in total. Share a link instead.'
  return undefined
}

type Props = { files: readonly UploadedFile[]; uploads: ReturnType<typeof useUploads>; change: Change }

/** Shows the files of a draft, including those that are being uploaded. */
export function DraftFiles({ files, uploads: { uploading, errors }, change }: Props) {
  const itemClass =
    'flex max-w-full items-center gap-1.5 rounded-control border border-line bg-page py-1 pr-1 pl-2.5'
  return (
    <>
      {files.length + uploading.length > 0 && (
        <ul aria-label="Attached files" className="flex flex-wrap gap-2 text-sm">
          {files.map(file => (
            <li key={file.id} className={itemClass}>
              <span className="break-all">{file.name}</span>
              <span className="shrink-0 text-muted">{formatSize(file.size)}</span>
              <button
                type="button"
                aria-label={`Remove ${file.name}`}
                onClick={() => change(before => before.filter(({ id }) => id !== file.id))}
                className="rounded-control p-1 text-muted hover:bg-sunken hover:text-text"
              >
                <CloseIcon size={14} />
              </button>
            </li>
          ))}
          {uploading.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and nothing in an item has state
            <li key={index} aria-busy="true" className={itemClass}>
              <span className="break-all">{file.name}</span>
              <span className="shrink-0 pr-1.5 text-muted">Uploading…</span>
            </li>
          ))}
        </ul>
      )}
      {errors.length > 0 && (
        <p role="alert" className="wrap-anywhere whitespace-pre-line text-red text-sm">
          {errors.join('\n')}
        </p>
      )}
    </>
  )
}

/** Shows a button that opens the file dialog of the browser. */
export function AttachButton({ isBusy, onFiles }: { isBusy: boolean; onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <Button look="quiet" isBusy={isBusy} onClick={() => input.current?.click()}>
        Attach files
      </Button>
    </>
  )
}

type OriginalsProps = {
  attachments: readonly Attachment[]
  isBusy: boolean
  /** Resolves to the files that were not attached. */
  onAttach: (originals: readonly StoredFile[]) => Promise<readonly StoredFile[]>
}

/** Shows a button that attaches the forwarded message's files. Hidden once all of them are attached. */
export function AttachOriginals({ attachments, isBusy, onAttach }: OriginalsProps) {
  const [missing, setMissing] = useState<readonly StoredFile[]>(() =>
    attachments.flatMap(({ id, name, size }) => (id ? [{ id, name, size }] : [])),
  )
  if (missing.length === 0) return null
  return (
    <Button
      look="quiet"
      isBusy={isBusy}
      onClick={async () => {
        setMissing([])
        setMissing(await onAttach(missing))
      }}
    >
      {missing.length === 1 ? 'Attach original file' : 'Attach original files'}
    </Button>
  )
}
