import { privileges } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { account } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { BusinessField } from '../../forms/BusinessField.tsx'
import { Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { useWords } from '../../words/index.ts'
import { privilegeWords } from '../../words/privileges.ts'
import { OperationField } from './OperationField.tsx'

interface AskedPrivilege {
  readonly user?: string
  readonly operation?: string
  readonly business?: string
}

/** "What may this user do, and why": the verdict of the guard. */
export function Explain({ asked, onAsk }: { asked: AskedPrivilege; onAsk(asked: AskedPrivilege): void }) {
  const words = useWords(privilegeWords)
  const session = useSession()
  const user = asked.user ?? session.data?.user ?? ''
  const set = (name: keyof AskedPrivilege) => (value: string) => {
    const now: AskedPrivilege = { ...asked, [name]: value }
    const { user: who, operation, business } = now
    onAsk({ ...(who && { user: who }), ...(operation && { operation }), ...(business && { business }) })
  }
  return (
    <div className="explain">
      <div className="explain-form">
        <TextField label={words.user} value={user} onChange={set('user')} required />
        <OperationField value={asked.operation ?? ''} onChange={set('operation')} />
        <BusinessField
          label={words.business}
          value={asked.business ?? ''}
          onChange={set('business')}
          besides={[{ id: '', name: words.anyBusiness }]}
        />
      </div>
      {asked.operation && user ? (
        <Judgement user={user} operation={asked.operation} business={asked.business} />
      ) : (
        <p className="quiet">{words.ask}</p>
      )}
    </div>
  )
}

interface JudgementProps {
  user: string
  operation: string
  business: string | undefined
}

function Judgement({ user, operation, business }: JudgementProps) {
  const words = useWords(privilegeWords)
  const judged = useQuery({
    ...ask(privileges.explainPrivilege, {
      params: { bk_supplier_account: account, user_name: user },
      query: { operation, ...(business && { bk_biz_id: business }) },
    }),
    placeholderData: (before) => before,
  })
  if (judged.error) return <Failure error={judged.error} retry={judged.refetch} />
  if (!judged.data) return <Skeleton lines={4} />
  const { allowed, reason, through, missing } = judged.data
  return (
    <section className={allowed ? 'judgement yes' : 'judgement no'} aria-live="polite">
      <h2>
        <Icon name={allowed ? 'check' : 'close'} />
        {allowed ? words.allowed : words.denied}
      </h2>
      <p>{reason}</p>
      <Reasons title={words.through} reasons={through.filter((each) => each.reason !== reason)} />
      <Reasons title={words.missing} reasons={missing.filter((each) => each.reason !== reason)} />
    </section>
  )
}

function Reasons({ title, reasons }: { title: string; reasons: readonly { reason: string }[] }) {
  if (reasons.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {reasons.map((each) => (
          <li key={each.reason}>{each.reason}</li>
        ))}
      </ul>
    </>
  )
}
