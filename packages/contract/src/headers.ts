/** Text for a header, such as a user's name: headers are Latin-1, and the server reads these as UTF-8. */
export const inHeader = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`)))
