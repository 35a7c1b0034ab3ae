import { Link, useNavigate } from '@tanstack/react-router'
import { useOperationMutation, usePermission } from '../../api.ts'
import { NoPermission } from '../../components/no-permission.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { AssistantForm } from './assistant-form.tsx'

export const BackToAssistants = () => (
  <Link to="/calls/assistants" className="text-accent underline-offset-2 hover:underline">
    Assistants
  </Link>
)

export function NewAssistantPage() {
  const create = useOperationMutation('createAssistant', 'listAssistants')
  const canCreate = usePermission('Rep.EditRep')
  const navigate = useNavigate()
  if (!canCreate) return <NoPermission title="Add assistant" permission="Rep.EditRep" />
  return (
    <Page
      above={<BackToAssistants />}
      title="Add assistant"
      intro="Set up the caller number, the voice provider and what the assistant says."
    >
      <Card>
        <AssistantForm
          submit="Add assistant"
          onSubmit={async (input, provider) => {
            const { id, name, status } = await create({ ...input, provider })
            showToast(status === 'active' ? `${name} added.` : `${name} added. Verify it now.`)
            await navigate({ to: '/calls/assistants/$assistantId', params: { assistantId: id } })
          }}
        />
      </Card>
    </Page>
  )
}
