import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { NewObject } from './ObjectDialogs.tsx'
import { classified } from './questions.ts'

/** Over any page: shows the new object afterwards. */
export function CreateObject({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  const classifications = useQuery(classified()).data ?? []
  return (
    <NewObject
      classifications={classifications}
      onClose={onClose}
      onMade={(object) => navigate({ to: '/model', search: { object } })}
    />
  )
}
