import { type DataOf, type Endpoint, privileges, type RolePrivilege } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useWords } from '../words/index.ts'
import { past } from '../words/past.ts'
import { privilegeWords } from '../words/privileges.ts'
import { refusalWords } from '../words/refusals.ts'
import { ask, questions } from './ask.ts'
import { oneBusiness, useBusinessNames } from './businesses.ts'
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

type Judged = DataOf<typeof privileges.explainPrivilege>

/** What is needed, where, and whom to ask, in words; the reason of the server where there are none. */
function useSentence(): (verdict: Judged, business: string | undefined) => string {
  const words = useWords(refusalWords)
  const { identifiers, entries } = useWords(privilegeWords)
  return ({ missing, reason }, business) => {
    const [only, ...others] = missing
    if (!only || others.length > 0) return reason
    const entry = Object.entries(entries).find(([name]) => name === only.entry)?.[1]
    if (entry) return words.neededEntry(entry)
    if (!only.privileges) return reason
    const needed = (only.privileges as readonly RolePrivilege[]).map((each) => identifiers[each])
    return words.needed(needed, business ?? `#${only.bk_biz_id}`, only.holders ?? [])
  }
}

/** Why nothing can be changed on a page that shows the past; undefined on others. */
export function useReadOnly(): string | undefined {
  const { readOnly } = useWords(past)
  return momentInAddress() === undefined ? undefined : readOnly
}

/** For actions by key or drag and drop: evaluated when they start. Undefined also if the answer is unknown. */
export function useRefusals(): (operation: Endpoint, about: About) => Promise<string | undefined> {
  const user = useSession().data?.user
  const readOnly = useReadOnly()
  const sentence = useSentence()
  return async (operation, about) => {
    if (readOnly !== undefined || !user) return readOnly
    const verdict = await questions.fetchQuery(explained(user, operation, about)).catch(() => undefined)
    if (!verdict || verdict.allowed) return undefined
    const business = verdict.missing[0]?.bk_biz_id
    const named = business && (await questions.fetchQuery(oneBusiness(business)).catch(() => undefined))
    return sentence(verdict, named ? named.info[0]?.bk_biz_name : undefined)
  }
}

/**
 * The server's reason why the caller may not do this; undefined if permitted or still unknown. The server checks again on execution: this only
 * disables the control.
 */
export function useRefusal(operation: Endpoint, about: About = {}): string | undefined {
  const user = useSession().data?.user
  const readOnly = useReadOnly()
  const sentence = useSentence()
  const { data } = useQuery({ ...explained(user ?? '', operation, about), enabled: Boolean(user) })
  const business = data?.missing[0]?.bk_biz_id ?? 0
  const nameOf = useBusinessNames([business])
  return readOnly ?? (data && !data.allowed ? sentence(data, nameOf(business)) : undefined)
}
