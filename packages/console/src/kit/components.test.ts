import { Failure as FailedCall } from '@mainline/client/core'
import { createElement, type FunctionComponent } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { Button } from './Button.tsx'
import { Failure } from './Failure.tsx'
import { TextField } from './Field.tsx'
import { Pager } from './Pager.tsx'

/** The initial rendering; clicks are tested in the browser. */
const drawn = <Props extends object>(component: FunctionComponent<Props>, props: Props): string =>
  renderToStaticMarkup(createElement(component, props))
const tagsOf = (html: string, name: string) => html.match(new RegExp(`<${name}\\b[^>]*>`, 'g')) ?? []

describe('a button', () => {
  it('that is disabled can still have the focus, so that its reason can be read', () => {
    const [tag] = tagsOf(drawn(Button, { children: 'Rename', because: "needs 'topoupdate'" }), 'button')
    expect(tag).toContain('aria-disabled="true"')
    expect(tag).not.toMatch(/ disabled=/)
  })

  it('that is only an icon has a name', () => {
    expect(drawn(Button, { icon: 'close', label: 'Close' })).toContain('aria-label="Close"')
  })

  it('whose request is running shows it', () => {
    expect(drawn(Button, { children: 'Save', busy: true })).toContain('class="button plain busy"')
    expect(drawn(Button, { children: 'Save' })).toContain('class="button plain"')
  })
})

describe('a field', () => {
  const field = { label: 'Set name', value: 'web', onChange: () => {} }

  it('shows the error in place of its help, and is marked for screen readers', () => {
    const html = drawn(TextField, { ...field, help: 'Unique in its parent.', problem: 'This name is taken.' })
    expect(html).toContain('This name is taken.')
    expect(html).not.toContain('Unique in its parent.')
    expect(tagsOf(html, 'input')[0]).toContain('aria-invalid="true"')
  })

  it('is marked as optional, unless it is required', () => {
    expect(drawn(TextField, field)).toContain('class="optional"')
    expect(drawn(TextField, { ...field, required: true })).not.toContain('class="optional"')
  })
})

describe('a pager', () => {
  const disabled = (start: number, count: number) =>
    tagsOf(drawn(Pager, { start, limit: 20, count, onStart: () => {} }), 'button').map((tag) => / disabled=/.test(tag))

  it('links to the previous and the next page, if they exist', () => {
    expect(disabled(0, 50)).toEqual([true, false])
    expect(disabled(20, 50)).toEqual([false, false])
    expect(disabled(40, 50)).toEqual([false, true])
    expect(disabled(0, 0)).toEqual([true, true])
  })

  it('says which records are shown, and of how many', () => {
    expect(drawn(Pager, { start: 40, limit: 20, count: 50, onStart: () => {} })).toMatch(/41\D+50\D+50/)
  })
})

describe('a failure', () => {
  const refused = new FailedCall('create_set', {
    kind: 'duplicate',
    code: 1199014,
    status: 409,
    text: 'A record with this name exists.',
    requestId: 'c0ffee',
  })

  it('is shown with the message of the server, its code and the request id', () => {
    const html = drawn(Failure, { error: refused })
    for (const part of ['role="alert"', 'A record with this name exists.', '1199014', 'c0ffee']) {
      expect(html).toContain(part)
    }
    expect(tagsOf(html, 'button')).toEqual([])
  })

  it('offers a retry if the caller can retry', () => {
    expect(tagsOf(drawn(Failure, { error: refused, retry: () => {} }), 'button')).toHaveLength(1)
  })

  it('of the page itself shows no code', () => {
    expect(drawn(Failure, { error: new TypeError('x is undefined') })).not.toContain('class="details"')
  })
})
