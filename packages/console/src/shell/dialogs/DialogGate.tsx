import { type FunctionComponent, lazy, Suspense } from 'react'
import { openDialog, type ShellDialog, useOpenedDialog } from './opened.ts'

interface ShellDialogProps {
  onClose(): void
}

/** Each is loaded when it is opened for the first time. */
const dialogs: Readonly<Record<ShellDialog, FunctionComponent<ShellDialogProps>>> = {
  act: lazy(() => import('./ActAs.tsx').then((file) => ({ default: file.ActAs }))),
  business: lazy(() =>
    import('../../pages/overview/CreateBusiness.tsx').then((file) => ({ default: file.CreateBusiness })),
  ),
  hosts: lazy(() => import('./ImportHosts.tsx').then((file) => ({ default: file.ImportHosts }))),
  object: lazy(() => import('../../pages/model/CreateObject.tsx').then((file) => ({ default: file.CreateObject }))),
  preferences: lazy(() => import('./PreferencesDialog.tsx').then((file) => ({ default: file.PreferencesDialog }))),
  userGroup: lazy(() => import('../../pages/privileges/EditGroup.tsx').then((file) => ({ default: file.CreateGroup }))),
}

/** Shows the dialog that is open over the page. */
export function DialogGate() {
  const opened = useOpenedDialog()
  if (!opened) return null
  const Opened = dialogs[opened]
  return (
    <Suspense>
      <Opened onClose={() => openDialog(null)} />
    </Suspense>
  )
}
