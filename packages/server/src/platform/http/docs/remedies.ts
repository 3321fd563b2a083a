import type { ProblemKind } from '@mainline/contract'

/** Of every way to fail: when it happens, and what its reader can do. The compiler sees that none is left out. */
export const remedies: Record<ProblemKind, readonly [when: string, what: string]> = {
  malformedJson: [
    'The body is no JSON, or is an array where an object is wanted; or the request itself could not be read.',
    'Look at the bytes that were sent. Quotes that the shell has eaten are the usual cause: put the body in single quotes.',
  ],
  invalid: [
    'A value is of the right type and not one that is allowed: out of range, not one of the choices, no date, no address.',
    'The text names the field and, behind the colon, what would be right. Send that.',
  ],
  notString: [
    'A field holds a number, an object or nothing where text is wanted.',
    'Put the value of the field in quotes.',
  ],
  notInteger: [
    'A field of the body, or an id in the path, is no whole number.',
    'Send a whole number. In paths, ids are positive: check that no variable of your script was empty.',
  ],
  unassigned: [
    'A field that must be there is missing, empty or null.',
    'Send the field that is named. Which ones an operation requires is in its entry of this reference.',
  ],
  unknown: [
    'A field, an attribute, an operator or an event has a name that the model does not know; or a body names a business that is not there.',
    'Check the spelling of what is named. Attributes of an object are listed by `search_object_attribute`.',
  ],
  duplicate: [
    'Something of this name, or with this address, is there already.',
    'Choose another name, or change the one that is there. After a request whose answer was lost it may be your own: look first.',
  ],
  outOfBounds: [
    'A text is longer than its attribute can hold.',
    'Shorten it to the number of bytes that the text names. Letters beyond ASCII take two to four bytes each.',
  ],
  patternMismatch: [
    'The attribute has a pattern of its own, and the value does not match it.',
    'The text shows the pattern. Send a value that matches, or have somebody who may change the model change the pattern.',
  ],
  notFound: [
    'What the path names is not there, or not in the business or the account that the path names.',
    'Check the ids, the business and the supplier account. What was deleted is found in the audit log.',
  ],
  notBoolean: ['A field is neither true nor false.', 'Send `true` or `false`, without quotes.'],
  unauthenticated: [
    'Nobody, or somebody who cannot be believed: no token, one that was revoked or has expired, a JWT for another audience.',
    'Send a good credential. `GET /api/v3/session` tells how this server wants to be spoken to.',
  ],
  tooMany: [
    'One request holds more rows, values or filters than one request may.',
    'Split it. The text names what is too much and the limit.',
  ],
  unknownPath: [
    'There is no operation at this address, or it names another version than v3.',
    'Compare the address with this reference. Every path begins with `/api/v3`.',
  ],
  wrongMethod: [
    'The address is right and the method is not.',
    'Use a method that the header `Allow` of the answer names.',
  ],
  notFloat: ['A field of type float holds something else.', 'Send a number.'],
  pageLimit: [
    'More than 200 rows were asked for at once.',
    'Ask for at most 200, page by page: `start` 0, 200, 400 and so on.',
  ],
  malformedRequest: [
    'What arrived is not an HTTP/1.1 request: a broken request line or header, or two lengths that differ.',
    'Use an HTTP library rather than a socket, and look for a proxy that changes requests.',
  ],
  requestTimeout: [
    'The request, body included, took longer to arrive than `--request-time`.',
    'Send it again over a faster connection, or raise `--request-time` where the server is yours.',
  ],
  tooLarge: [
    'The body is larger than the server takes.',
    'Split the request, or raise `--body-limit` where the server is yours.',
  ],
  notJson: [
    'The body was sent as a form, or as another type that is no JSON.',
    'Send `Content-Type: application/json`. With curl say `--json`; plain `-d` sends a form.',
  ],
  contentCoding: [
    'The body was sent compressed (`Content-Encoding`).',
    'Send it uncompressed, without `Content-Encoding`. Split it where it is too large.',
  ],
  urlTooLong: [
    'The URL is longer than 16,384 characters.',
    'Move conditions from the URL to the body, or ask in several requests.',
  ],
  headersTooLarge: [
    'URL and headers together are larger than 32 KiB; large cookies are the usual cause.',
    'Send fewer or smaller headers.',
  ],
  tooManyRequests: [
    'This caller sends more, or guesses credentials more often, than one caller may. Nothing was done.',
    'Wait as long as `Retry-After` says and send the same request again.',
  ],
  notReady: [
    'The server is full, late or without its storage; the text says which. Nothing was done.',
    'Wait as long as `Retry-After` says and send the same request again. If it stays, see the guide to operating.',
  ],
  outcomeUnknown: [
    'The connection to the database broke at the very moment of the commit, and it could not be found out how it ended.',
    'Look whether the change is there before you repeat it. The text names the transaction, as the log does.',
  ],
  staleCursor: [
    'The cursor of a watch is of another estate (also: of before a restore), or older than what the log still keeps.',
    'Read what you need anew, then watch from now on.',
  ],
  internal: [
    'A defect of ours. Nothing was changed.',
    'Report it with the request id that is quoted: the server’s own log has the rest.',
  ],
  denied: [
    'The caller is known and lacks a privilege. Also: a browser’s page of elsewhere, or an account the caller does not belong to.',
    'The text says which privilege is missing, in which business, and through what it could be had. `explain_privilege` tells it beforehand.',
  ],
  setProtected: [
    'The built-in idle pool, or a module in it, was to be renamed or deleted.',
    'Leave it as it is: hosts without a place stand there. It goes with its business.',
  ],
  modelNotCreated: ['An object could not be defined.', 'The text says why: most often the identifier or the parent.'],
  modelNotFound: ['There is no object of that identifier.', 'List the objects with `search_object`.'],
  attributeNotCreated: [
    'An attribute could not be defined.',
    'The text says why: its identifier, its type or its option.',
  ],
  attributeNotDeleted: [
    'The attribute is built in.',
    'Leave it; it may be left empty. Only attributes that were added can be deleted.',
  ],
  attributeGroupNotCreated: ['A group of attributes could not be made.', 'The text says why.'],
  attributeGroupNotDeleted: [
    'The group is built in, or still holds attributes.',
    'Move its attributes to another group first.',
  ],
  classificationInUse: ['There are objects of this classification.', 'Move or delete them first.'],
  hostsUnder: [
    'Hosts stand in what was to be deleted or archived.',
    'Move them to the idle module or the resource pool first; `?dry_run=true` counts them.',
  ],
  noCloudArea: [
    'The host names a cloud area that is not there.',
    'Leave `bk_cloud_id` out (0), or create the area first.',
  ],
  businessQueryFailed: ['The business of the body is not there, or archived.', 'Check its id with `search_business`.'],
  moduleQueryFailed: [
    'One of the modules is not there, or not of this business.',
    'Check the ids with `search_module` or in the tree.',
  ],
  tooManyLevels: [
    'The main line has as many levels as the server allows.',
    'Remove one, or raise `--max-levels` where the server is yours.',
  ],
  instanceAssociated: ['Something else still refers to the instance.', 'The text says what. Detach that first.'],
  objectHasInstances: ['The object still has instances.', 'Delete them first, or pause the object.'],
  moduleNotFound: ['There is no such module, or not in this set.', 'Check set and module in the tree.'],
  businessProtected: [
    'The resource pool is a business of the service’s own.',
    'Leave it as it is: hosts that belong to no business stand there.',
  ],
  modelPaused: ['The object is paused: its instances are not to be changed.', 'Resume it with `update_object`.'],
  builtInModel: ['Business, set, module and host are built in.', 'Delete only levels and objects that were added.'],
  sameNameBelow: [
    'Removing the level would bring two instances of the same name under one parent.',
    'Rename one of those that the text lists. `?dry_run=true` shows all conflicts beforehand.',
  ],
  callbackFailed: [
    'The address was tried out, and did not answer or not as it should.',
    'The text says what happened. Try the address from the machine that the server runs on.',
  ],
  connectionFailed: [
    'No connection to the address could be made.',
    'Check that the receiver runs, its port, and what stands between it and the server.',
  ],
  hostElsewhere: [
    'The host belongs to another business.',
    'Move it to the resource pool there first: `move_host_to_idle`, then `move_host_to_resource`.',
  ],
  hostNotIdle: ['Only idle hosts can leave a business.', 'Move the host to the idle module first.'],
  hostNotCreated: [
    'Rows of the request could not be taken. `data` lists what became of each.',
    'Correct the rows that failed and send those.',
  ],
  hostNotDeleted: [
    'The host is in use: it does not stand in the resource pool.',
    'Move it to the resource pool first.',
  ],
  hostNotFound: ['There is no host of that id in this account.', 'Search for it by its address.'],
  hostField: ['An attribute of a host is wrong.', 'The text names it and what would be right.'],
  hostNotInBusiness: [
    'Hosts were to be moved within a business that they do not belong to.',
    'Check the ids, or move the hosts into the business first.',
  ],
  filterMissing: [
    'A search by instances of a level names the level and no instance.',
    'Add `bk_inst_id` to the condition on `object`.',
  ],
  badFile: [
    'The file as a whole cannot be read: no CSV or XLSX, cut off, a column that is unknown or missing.',
    'The text says what and where. `get_import_template` gives a file with the right columns.',
  ],
  differs: [
    'Something of that name is there already, and is not the same.',
    'Nothing of it was changed. Decide which of the two is right, and change it by hand.',
  ],
  badRow: [
    'One row of a file cannot be taken. The others can.',
    'Correct it in the file of failed rows and import that.',
  ],
}
