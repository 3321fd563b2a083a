// Event delivery; the request log and shutdown.
import { callbackPolicies } from '../../outbound/address.ts'
import { networks, oneOf, pauses, requestShare, setting, span, whole } from './formats.ts'

export const deliverySettings = {
  retrySchedule: setting({
    flag: 'retry-schedule',
    env: 'RETRY_SCHEDULE',
    fallback: '5s,30s,2m,5m,10m,15m,30m',
    read: pauses,
    help: 'delays between the attempts to deliver an event that its receiver rejects; then it becomes a dead letter',
  }),
  confirmBytes: setting({
    flag: 'confirm-bytes',
    env: 'MAINLINE_CONFIRM_BYTES',
    fallback: '4096',
    read: whole(1, 65_536),
    help: 'how many bytes of the response to an event are searched for confirm_pattern',
  }),
  callbackPolicy: setting({
    flag: 'callback-policy',
    env: 'MAINLINE_CALLBACK_POLICY',
    fallback: 'private',
    read: oneOf(...callbackPolicies),
    help: 'addresses that callbacks may go to: public (the internet only), private (also private networks) or any (also this machine)',
  }),
  callbackAllow: setting({
    flag: 'callback-allow',
    env: 'MAINLINE_CALLBACK_ALLOW',
    fallback: '',
    read: networks,
    help: 'networks that callbacks may reach although a wider one is denied or the policy refuses them',
  }),
  callbackDeny: setting({
    flag: 'callback-deny',
    env: 'MAINLINE_CALLBACK_DENY',
    fallback: '',
    read: networks,
    help: 'networks that callbacks may not reach; if an address is in both lists, the narrower network decides',
  }),
  logLevel: setting({
    flag: 'log-level',
    env: 'LOG_LEVEL',
    fallback: 'info',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    help: 'minimum level of log lines',
  }),
  requestLog: setting({
    flag: 'request-log',
    env: 'MAINLINE_REQUEST_LOG',
    fallback: 'all',
    read: requestShare,
    help: 'requests to log: all, errors, off, or a sample of successful ones such as 0.01 (and all errors)',
  }),
  drainTime: setting({
    flag: 'drain-time',
    env: 'MAINLINE_DRAIN_TIME',
    fallback: '0s',
    read: span(0, 600_000),
    help: 'how long a stopping server keeps serving requests while /readyz answers 503, so that load balancers notice',
  }),
}
