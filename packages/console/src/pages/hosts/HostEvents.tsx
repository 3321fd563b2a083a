import { type DataOf, subscriptions } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { account } from '../../api/call.ts'
import { useRefusal } from '../../api/may.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { hosts } from '../../words/hosts.ts'
import { moment, number, useWords } from '../../words/index.ts'

const sentAbout = (host: number) => ({
  ...ask(subscriptions.listAttemptsAbout, {
    params: { bk_supplier_account: account, bk_obj_id: 'host', bk_inst_id: host },
  }),
  staleTime: 0,
})

type Push = DataOf<typeof subscriptions.listAttemptsAbout>[number]

/** The pushes about a host, and their results. */
export function HostEvents({ host }: { host: number }) {
  const words = useWords(hosts)
  const refused = useRefusal(subscriptions.listAttemptsAbout)
  const sent = useQuery({ ...sentAbout(host), enabled: refused === undefined })
  if (refused) {
    return (
      <p className="notice">
        <Icon name="info" />
        {refused}
      </p>
    )
  }
  if (sent.error) return <Failure error={sent.error} retry={sent.refetch} />
  if (!sent.data) return <Skeleton lines={4} height={26} />
  if (sent.data.length === 0) return <p className="quiet">{words.noEvents}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section className="host-table" tabIndex={0} aria-label={words.detail.events}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.sent.time}</th>
            <th scope="col">{words.sent.event}</th>
            <th scope="col">{words.sent.subscription}</th>
            <th scope="col">{words.sent.result}</th>
            <th scope="col" className="number">
              {words.sent.duration}
            </th>
            <th scope="col">{words.sent.error}</th>
          </tr>
        </thead>
        <tbody>
          {sent.data.map((push) => (
            <tr key={`${push.webhook_id} ${push.distribution_id} ${push.time}`}>
              <td>{moment(push.time)}</td>
              <td>
                <code>{push.event_name}</code>
              </td>
              <td>{push.subscription_name}</td>
              <td>
                <Outcome push={push} />
              </td>
              <td className="number">{number(push.duration)} ms</td>
              <td className="quiet">{push.error || push.response_body.slice(0, 80)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const looks: Record<string, string> = { confirmed: 'good', rejected: 'bad', unreachable: 'warn' }

function Outcome({ push: { result, http_status: status } }: { push: Push }) {
  const { outcomes } = useWords(hosts)
  return (
    <span className={`tag ${looks[result] ?? ''}`}>
      {outcomes[result as keyof typeof outcomes] ?? result}
      {status !== null && ` ${status}`}
    </span>
  )
}
