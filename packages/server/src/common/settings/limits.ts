// Limits of concurrency and of request times.
import { setting, span, whole } from './formats.ts'

export const limitSettings = {
  bodyLimit: setting({
    flag: 'body-limit',
    env: 'MAINLINE_BODY_LIMIT',
    fallback: '8388608',
    read: whole(1024, 1_073_741_824),
    help: 'maximum JSON body in bytes; most operations accept less, see the guide to operating',
  }),
  maxSockets: setting({
    flag: 'max-sockets',
    env: 'MAINLINE_MAX_SOCKETS',
    fallback: '16000',
    read: whole(10, 1_000_000),
    help: 'maximum concurrent client connections; further ones are closed immediately',
  }),
  maxRequests: setting({
    flag: 'max-requests',
    env: 'MAINLINE_MAX_REQUESTS',
    fallback: '1000',
    read: whole(1, 1_000_000),
    help: 'maximum concurrent requests; further ones are rejected with Retry-After (1199503)',
  }),
  maxLagMs: setting({
    flag: 'max-lag',
    env: 'MAINLINE_MAX_LAG',
    fallback: '1000',
    read: whole(0, 60_000),
    help: 'event loop lag in milliseconds that, three times in a row, makes the server reject requests (1199503); 0 disables it',
  }),
  queueTimeMs: setting({
    flag: 'queue-time',
    env: 'MAINLINE_QUEUE_TIME',
    fallback: '10s',
    read: span(100, 600_000),
    help: 'how long a request waits for the storage before it is rejected with Retry-After (1199503)',
  }),
  requestTimeMs: setting({
    flag: 'request-time',
    env: 'MAINLINE_REQUEST_TIME',
    fallback: '60s',
    read: span(1_000, 3_600_000),
    help: 'how long a request may take to arrive, including its body',
  }),
  callerRequests: setting({
    flag: 'caller-requests',
    env: 'MAINLINE_CALLER_REQUESTS',
    fallback: '200',
    read: whole(0, 1_000_000),
    help: 'maximum concurrent requests of one caller (1199429); no limit if 0 or with auth open',
  }),
  callerRate: setting({
    flag: 'caller-rate',
    env: 'MAINLINE_CALLER_RATE',
    fallback: '1000',
    read: whole(0, 1_000_000),
    help: 'rate limit of one caller in requests per second, with bursts of twice as many (1199429); no limit if 0 or with auth open',
  }),
  callerWatches: setting({
    flag: 'caller-watches',
    env: 'MAINLINE_CALLER_WATCHES',
    fallback: '1000',
    read: whole(0, 1_000_000),
    help: 'maximum concurrent watches and streams of one caller (1199429); no limit if 0 or with auth open',
  }),
}
