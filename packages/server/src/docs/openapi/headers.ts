/** Headers of any request. Their spellings with hyphens (`BK-User`) are accepted, too. */
export const headerParameters = {
  BkUser: {
    name: 'BK_User',
    in: 'header',
    description: 'the caller; with open identity, or from a listed proxy',
    schema: { type: 'string' },
  },
  SupplierId: {
    name: 'HTTP_BLUEKING_SUPPLIER_ID',
    in: 'header',
    description: 'the supplier account, where neither path nor body names one; default "0"',
    schema: { type: 'string', maxLength: 64 },
  },
  SupplierAccount: {
    name: 'HTTP_BK_SUPPLIER_ACCOUNT',
    in: 'header',
    description: 'the supplier account; overrides HTTP_BLUEKING_SUPPLIER_ID',
    schema: { type: 'string', maxLength: 64 },
  },
  Language: {
    name: 'HTTP_BLUEKING_LANGUAGE',
    in: 'header',
    description: 'the language of messages and built-in names',
    schema: { type: 'string', enum: ['en', 'zh-cn'] },
  },
  RequestId: {
    name: 'cc_request_id',
    in: 'header',
    description: 'the id of the request: returned in the answer and stored with every change; generated when absent',
    schema: { type: 'string' },
  },
}

/** Headers of changes; the last one for changes of one instance. */
export const changeParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'lets the request be repeated: for 24 hours the same request with the same key gets the stored answer and changes nothing again',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  ChangeReason: {
    name: 'X-Change-Reason',
    in: 'header',
    description:
      'why the change is made, at most 500 characters, percent-encoded UTF-8: stored in the audit log, sent in events',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'the revision in quotes, such as "3": the change is made only if the instance still has it, otherwise 1199412',
    schema: { type: 'string' },
  },
}

export const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'the ETag of an earlier answer: 304 without a body while it is still current',
  schema: { type: 'string' },
}

export const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'the id of the last event received: the stream goes on after it',
  schema: { type: 'string' },
}

export const responseHeaders = {
  RequestId: { description: 'the id of the request', schema: { type: 'string' } },
  ETag: { description: 'the version of the answer', schema: { type: 'string' } },
  IdempotencyReplayed: {
    description: 'the answer was stored by an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  AsOf: {
    description:
      'with `as_of`: the position and the time whose state is answered, such as `4711; 2026-11-18T02:00:00.000+08:00`',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'seconds after which to try again', schema: { type: 'integer' } },
  Challenge: { description: 'how to authenticate', schema: { type: 'string' } },
}

const refer = (name: keyof typeof responseHeaders) => ({ $ref: `#/components/headers/${name}` })

/** The headers of an answer by its HTTP status; of all statuses, if errors have the status of a success. */
export const headersOf = (status: number, { etag = false, replayed = false, asOf = false, refusals = false } = {}) => ({
  cc_request_id: refer('RequestId'),
  ...(etag && { ETag: refer('ETag') }),
  ...(replayed && { 'Idempotency-Replayed': refer('IdempotencyReplayed') }),
  ...(asOf && { 'Mainline-As-Of': refer('AsOf') }),
  ...((refusals || status === 429 || status === 503) && { 'Retry-After': refer('RetryAfter') }),
  ...((refusals || status === 401) && { 'WWW-Authenticate': refer('Challenge') }),
})
