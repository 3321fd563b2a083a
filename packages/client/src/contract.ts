// What the client is typed by, for those who name operations, records or problems themselves.
export * from '@mainline/contract'
