import { AddHosts } from '../../pages/hosts/AddHosts.tsx'
import { usePreferences } from '../../preferences.ts'

/** Into the current business, or else into the resource pool; the dialog lets the user choose another one. */
export function ImportHosts({ onClose }: { onClose(): void }) {
  const { business } = usePreferences()
  return <AddHosts {...(business !== null && { business })} onClose={onClose} />
}
