import { businesses, type Language } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import { attributesOf, forCreating } from '../../api/model.ts'
import { useSession } from '../../api/session.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import { check, type Draft, emptyDraft, filledIn } from '../../forms/attributes.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { usePreferences } from '../../preferences.ts'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { overview } from '../../words/overview.ts'
import { zoneInUse } from '../../zone.ts'

/** A new business starts with the user as its maintainer, the time zone of the browser and the language of the console. */
const ofTheUser = (user: string, language: Language): Draft => ({
  bk_biz_maintainer: user,
  time_zone: zoneInUse(),
  language: language === 'zh-cn' ? '1' : '2',
})

export function CreateBusiness({ onClose }: { onClose(): void }) {
  const words = useWords(overview)
  const { create, check: checks, loading } = useWords(common)
  const navigate = useNavigate()
  const model = useQuery(attributesOf('biz'))
  const attributes = forCreating(model.data ?? [])
  const [typed, setTyped] = useState<Draft>({})
  const [tried, setTried] = useState(false)
  const { language } = usePreferences()
  const user = useSession().data?.user ?? ''
  const draft: Draft = { ...emptyDraft(attributes), ...ofTheUser(user, language), ...typed }
  const change = useChange('businesses', (body: Record<string, unknown>) =>
    call(businesses.createBusiness, {
      params: { bk_supplier_account: account },
      body: body as { bk_biz_name: unknown },
    }),
  )
  const save = () => {
    setTried(true)
    if (attributes.some((each) => check(each, draft[each.bk_property_id] ?? '', checks))) return
    change.mutate(filledIn(attributes, draft), {
      onSuccess: (made) => {
        tell(words.created(made.bk_biz_name), change.request())
        onClose()
        navigate({ to: '/topology/$business', params: { business: String(made.bk_biz_id) } })
      },
    })
  }
  return (
    <Dialog
      title={words.create}
      action={create}
      busy={change.isPending}
      because={model.data ? undefined : loading}
      error={change.error ?? model.error}
      onAction={save}
      onClose={onClose}
    >
      {model.data ? (
        <AttributeFields attributes={attributes} draft={draft} onChange={setTyped} tried={tried} error={change.error} />
      ) : (
        <Skeleton lines={5} height={30} />
      )}
    </Dialog>
  )
}
