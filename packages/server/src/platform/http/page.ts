import { succeeded } from '@mainline/contract'

/** A whole answer, envelope and all, as it is sent: what does not change need not be written out again for every caller. */
export class Page {
  readonly bytes: Buffer
  /** By its tag a caller who has the answer already is told so. */
  readonly tag: string | undefined

  constructor(data: unknown, tag?: string) {
    this.bytes = Buffer.from(JSON.stringify(succeeded(data)))
    this.tag = tag
  }
}
