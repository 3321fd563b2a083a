/** Text as it goes into a header, such as a user's name: headers travel as Latin-1, and the server reads these as UTF-8. */
export const inHeader = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))
