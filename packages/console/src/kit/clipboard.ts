/** Pages that did not come over TLS have no clipboard of their own; the older way still works there. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = Object.assign(document.createElement('textarea'), { value: text })
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}
