const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as a part of HTML. */
export const asHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
