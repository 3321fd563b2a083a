import { Problem } from '@mainline/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServeConfig } from '../common/config.ts'
import { type Identification, type Identity, refuseTwoSpellings, type UnidentifiedRequest } from '../identity/index.ts'
import { refuseCoding, refuseOtherFiles, refuseOtherTypes } from './bodies/body.ts'
import { hostsOf, refuseCrossSiteRequests } from './cross-site-guard.ts'
import type { Dialect } from './dialect.ts'
import { anonymous, notFound } from './failures.ts'
import type { Admission } from './limits/admission.ts'
import { probePaths } from './observe/probes.ts'
import { refuseAmbiguousHead, refuseLongUrl } from './refused-request.ts'
import type { Route } from './route.ts'

interface Admitting {
  readonly config: Pick<ServeConfig, 'url' | 'allowedHosts' | 'corsOrigins'>
  readonly identification: Identification
  readonly admission: Admission
  readonly dialect: Dialect
  readonly routes: readonly Route[]
}

/** All checks that need only the request head, run before the body is read: path, load, origin, identity, media type. */
export function admitRequests(app: FastifyInstance, admitting: Admitting): void {
  const admit = admitter(admitting)
  app.addHook('onRequest', (request, reply, done) => {
    const waiting = admit(request, reply)
    if (waiting) waiting.then(() => done(), done)
    else done()
  })
}

/** Returns undefined instead of a promise when the caller is identified synchronously, so that most requests skip a microtask. */
function admitter({ config, identification, admission, dialect, routes }: Admitting) {
  const crossSite = {
    openIdentity: identification.mode === 'open',
    url: config.url,
    corsOrigins: config.corsOrigins,
    hosts: identification.mode === 'proxy' ? hostsOf(config) : undefined,
  }
  const identify = (request: UnidentifiedRequest, anonymousToo: boolean) =>
    anonymousToo ? orAnonymous(identification, request) : identification.identify(request)
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    refuseLongUrl(request.raw.url ?? '')
    refuseAmbiguousHead(request.raw)
    // Before the body is read: no body makes an unknown path right.
    if (request.is404) throw notFound(request, reply, routes)
    // Decided by the route, not the URL: an absolute-form URL (with scheme and host) is routed here as well.
    const { config: route, url } = request.routeOptions
    if (route.operation === undefined) {
      if (!probePaths.has(url ?? '')) admission.refuseIfFull()
      return undefined
    }
    const { headers } = request
    const unknown = anonymous(request, dialect)
    request.identity = unknown
    reply.header('cc_request_id', unknown.requestId)
    // Responses depend on the caller and the moment: never cached, never sniffed for another media type.
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    admission.refuseIfFull()
    refuseCrossSiteRequests(headers, crossSite)
    refuseTwoSpellings(headers, request.raw.rawHeaders)
    const accept = (identified: Partial<Identity>): undefined => {
      const identity = { ...unknown, ...identified }
      request.identity = identity
      admission.spend(identity)
      if (request.method === 'GET') return
      const refuseOthers = route.takes ? refuseOtherFiles : refuseOtherTypes
      refuseOthers(headers['content-type'])
      refuseCoding(headers['content-encoding'])
    }
    const identified = identify({ headers, peer: request.ip }, route.anonymous ?? false)
    return identified instanceof Promise ? identified.then(accept) : accept(identified)
  }
}

/** For operations that need no identity: a caller that cannot be identified is anonymous. */
async function orAnonymous({ identify }: Identification, request: UnidentifiedRequest): Promise<Partial<Identity>> {
  try {
    return await identify(request)
  } catch (error) {
    if (error instanceof Problem && error.kind === 'unauthenticated') return {}
    throw error
  }
}
