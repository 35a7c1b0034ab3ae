import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import type { Entry } from '../../components/timeline-entry.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'

export function NoteActions({ entry }: { entry: Entry }) {
  const canEdit = usePermission('Prospect.EditProspect')
  const remove = useOperationMutation('deleteNote', 'getPersonTimeline', 'listNotes')
  const [isDeleting, setDeleting] = useState(false)
  if (!canEdit) return null
  return (
    <div className="mt-1.5">
      <Button look="quiet" size="small" onClick={() => setDeleting(true)}>
        Delete note
      </Button>
      <ConfirmDialog
        isOpen={isDeleting}
        title="Delete this note?"
        confirm="Delete note"
        onCancel={() => setDeleting(false)}
        onConfirm={async () => {
          await remove({ noteId: entry.id })
          showToast('Note deleted.')
          setDeleting(false)
        }}
      >
        It is deleted for everyone and can’t be restored.
      </ConfirmDialog>
    </div>
  )
}
