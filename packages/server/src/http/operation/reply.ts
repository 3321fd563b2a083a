import { succeeded } from '@mainline/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { opening, Page, PlainPage, sendPage, Versioned } from '../page.ts'
import { StoredRows } from '../stored-rows.ts'

/** The body of an answer that is not a stream, with its headers. */
export function replyWith(data: unknown, success: string, request: FastifyRequest, reply: FastifyReply) {
  reply.header('content-type', data instanceof PlainPage ? data.type : 'application/json; charset=utf-8')
  if (data instanceof Page) return sendPage(data.saying(success), request, reply)
  if (data instanceof PlainPage) return sendPage(data, request, reply)
  if (data instanceof Versioned) {
    reply.header('etag', data.tag)
    return JSON.stringify(succeeded(data.data, success))
  }
  if (data instanceof StoredRows) return `${opening(success)}${data.text()}}`
  return JSON.stringify(succeeded(data, success))
}
