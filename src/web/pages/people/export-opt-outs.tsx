import { useEffect, useState } from 'react'
import { useOperation, useOperationMutation, usePermission, useSession } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'

const POLL_MS = 1_000

/** Exports the whole list as a CSV file, which the browser downloads once it is written. */
export function ExportOptOuts() {
  const { account } = useSession()
  const canExport = usePermission('Prospect.ReadProspect')
  const start = useOperationMutation('exportData')
  const [exportId, setExportId] = useState<string>()
  const [isStarting, setStarting] = useState(false)
  const { data, error } = useOperation(
    'getExport',
    { exportId: exportId ?? '' },
    { isEnabled: exportId !== undefined, refetchIntervalMs: POLL_MS },
  )
  const isFinished = data !== undefined && data.status !== 'running'
  useEffect(() => {
    if (!exportId || !(isFinished || error)) return
    setExportId(undefined)
    if (data?.status === 'finished') downloadExport(exportId, account?.id)
    else showToast(`The export failed: ${data?.failure ?? error?.message}`)
  }, [exportId, isFinished, error, data, account])
  if (!canExport) return null
  const handleExport = async () => {
    setStarting(true)
    await start({ kind: 'opt_outs' }).then(
      ({ id }) => setExportId(id),
      error => showToast(error.message),
    )
    setStarting(false)
  }
  const isBusy = isStarting || exportId !== undefined
  return (
    <Button isBusy={isBusy} onClick={() => void handleExport()}>
      {isBusy ? 'Exporting…' : 'Export CSV'}
    </Button>
  )
}

/** Downloads the file. The response is an attachment, so the page stays open. */
function downloadExport(exportId: string, accountId: string | undefined): void {
  const link = document.createElement('a')
  link.href = `/v1/exports/${exportId}/download?accountId=${accountId}`
  link.download = ''
  link.click()
}
