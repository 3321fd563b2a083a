import { type DataOf, type Endpoint, privileges } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useWords } from '../words/index.ts'
import { past } from '../words/past.ts'
import { ask, questions } from './ask.ts'
import { account } from './call.ts'
import { momentInAddress } from './moment.ts'
import { useSession } from './session.ts'

type About = Readonly<Record<string, number | string>>

const explained = (user: string, operation: Endpoint, about: About) => ({
  ...ask(privileges.explainPrivilege, {
    params: { bk_supplier_account: account, user_name: user },
    query: {
      operation: operation.name,
      ...Object.fromEntries(Object.entries(about).map(([key, value]) => [key, String(value)])),
    },
  }),
  staleTime: 30_000,
})

const reasonIn = (verdict: DataOf<typeof privileges.explainPrivilege> | undefined): string | undefined =>
  verdict && !verdict.allowed ? verdict.reason : undefined

/** Why nothing can be changed on a page that shows the past; undefined on others. */
export function useReadOnly(): string | undefined {
  const { readOnly } = useWords(past)
  return momentInAddress() === undefined ? undefined : readOnly
}

/** For actions by key or drag and drop: evaluated when they start. Undefined also if the answer is unknown. */
export function useRefusals(): (operation: Endpoint, about: About) => Promise<string | undefined> {
  const user = useSession().data?.user
  const readOnly = useReadOnly()
  return async (operation, about) =>
    readOnly ??
    (user ? reasonIn(await questions.fetchQuery(explained(user, operation, about)).catch(() => undefined)) : undefined)
}

/**
 * The server's reason why the caller may not do this; undefined if permitted or still unknown. The server checks again on execution: this only
 * disables the control.
 */
export function useRefusal(operation: Endpoint, about: About = {}): string | undefined {
  const user = useSession().data?.user
  const readOnly = useReadOnly()
  const { data } = useQuery({ ...explained(user ?? '', operation, about), enabled: Boolean(user) })
  return readOnly ?? reasonIn(data)
}
