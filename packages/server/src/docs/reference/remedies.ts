import type { ProblemKind } from '@mainline/contract'

/** For every problem: when it occurs, and what to do. The compiler checks that none is missing. */
export const remedies: Record<ProblemKind, readonly [when: string, what: string]> = {
  malformedJson: [
    'The body is not valid JSON, or is an array where an object is expected; or the request itself could not be read.',
    'Check the bytes that were sent. The usual cause is the quoting of the shell: put the body in single quotes.',
  ],
  invalid: [
    'A value has the right type but is not allowed: out of range, not one of the choices, not a date, not an address.',
    'The message names the field and, after the colon, the expected value. Send that.',
  ],
  notString: [
    'A field contains a number, an object or nothing where text is expected.',
    'Put the value of the field in quotes.',
  ],
  notInteger: [
    'A field of the body, or an id in the path, is not an integer.',
    'Send an integer. In paths, ids are positive: check that no variable of your script was empty.',
  ],
  unassigned: [
    'A required field is missing, empty or null.',
    'Send the named field. The entry of the operation in this reference lists the required fields.',
  ],
  unknown: [
    'The name of a field, attribute, operator or event is unknown; or the body names a business that does not exist.',
    'Check the spelling of the name. Attributes of an object are listed by `search_object_attribute`.',
  ],
  duplicate: [
    'A record with this name or address already exists.',
    'Choose another name, or update the existing record. After a request whose response was lost it may be your own: check first.',
  ],
  outOfBounds: [
    'A text is longer than its attribute allows.',
    'Shorten it to the number of bytes given in the message. Characters outside ASCII take two to four bytes each.',
  ],
  patternMismatch: [
    'The value does not match the pattern of the attribute.',
    'The message shows the pattern. Send a value that matches, or ask a user with the `model` privilege to change the pattern.',
  ],
  notFound: [
    'The record named by the path does not exist, or not in the business or account of the path.',
    'Check the ids, the business and the supplier account. Deletions are recorded in the audit log.',
  ],
  notBoolean: ['A field is neither true nor false.', 'Send `true` or `false`, without quotes.'],
  unauthenticated: [
    'The caller is not authenticated: no token, a revoked or expired one, or a JWT for another audience.',
    'Send a valid credential. `GET /api/v3/session` says how this server authenticates callers.',
  ],
  tooMany: [
    'The request contains more rows, values or filters than allowed.',
    'Split it. The message names the items and the limit.',
  ],
  unknownPath: [
    'There is no operation at this path, or the version is not v3.',
    'Compare the path with this reference. Every path begins with `/api/v3`.',
  ],
  wrongMethod: [
    'The path exists, but not with this method.',
    'Use a method listed in the `Allow` header of the response.',
  ],
  notFloat: ['A field of type float is not a number.', 'Send a number.'],
  pageLimit: ['More than 200 rows were requested.', 'Request at most 200 per page: `start` 0, 200, 400 and so on.'],
  malformedRequest: [
    'The data received is not an HTTP/1.1 request: a malformed request line or header, or two different lengths.',
    'Use an HTTP library rather than a socket, and look for a proxy that changes requests.',
  ],
  requestTimeout: [
    'The request, body included, took longer to arrive than `--request-time`.',
    'Send it again over a faster connection, or raise `--request-time` if you operate the server.',
  ],
  keyRunning: [
    'Another request with the same Idempotency-Key is still in progress: usually the first attempt of this one.',
    'Wait a second and retry with the same key; the response of the first attempt is then returned.',
  ],
  revisionMismatch: [
    'The request was sent with `If-Match`, and the instance has been changed since that revision was read. Nothing was changed.',
    '`data` holds the current record with its `bk_revision`. Decide again, and repeat with that revision.',
  ],
  keyReused: [
    'The Idempotency-Key belongs to an earlier request of this caller with another path or body.',
    'Use a new key for every new request, such as a UUID, and the same one only to repeat it.',
  ],
  tooLarge: [
    'The body is larger than this operation accepts; the message gives the limit.',
    'Split the request. If you operate the server and `--body-limit` is below 8 MiB, raise it.',
  ],
  notJson: [
    'The body was sent as a form, or as another type that is not JSON.',
    'Send `Content-Type: application/json`. With curl use `--json`; plain `-d` sends a form.',
  ],
  contentCoding: [
    'The body was sent compressed (`Content-Encoding`).',
    'Send it uncompressed, without `Content-Encoding`. Split it if it is too large.',
  ],
  urlTooLong: [
    'The URL is longer than 16,384 characters.',
    'Move conditions from the URL to the body, or use several requests.',
  ],
  headersTooLarge: [
    'URL and headers together are larger than 32 KiB; large cookies are the usual cause.',
    'Send fewer or smaller headers.',
  ],
  tooManyRequests: [
    'The caller exceeds its rate limit, its concurrent requests, or the number of failed logins. Nothing was done.',
    'Wait as long as `Retry-After` says and send the same request again.',
  ],
  clientGone: [
    'The client closed the connection while the server was working. The code appears in the request log and in metrics only.',
    'Raise the timeout of the client if it gave up too early.',
  ],
  notReady: [
    'The server is overloaded, starting, stopping, or its storage is unavailable; the message says which. Nothing was done.',
    'Wait as long as `Retry-After` says and send the same request again. If the failure persists, see the guide to operating.',
  ],
  outcomeUnknown: [
    'The connection to the database was lost during the commit, and its outcome could not be determined.',
    'Check whether the change was made before you repeat it. The message names the transaction, as the audit log does.',
  ],
  momentGone: [
    'The moment is before the first record of the log that is kept: nothing is known about that time.',
    'Name the moment of the message, or a later one. Records older than the retention period are removed.',
  ],
  positionGone: [
    'The record at the position was removed by retention, so the state after it can no longer be computed.',
    'Name the position of the message, or a later one.',
  ],
  recordRemoved: [
    'The record is older than the log is kept (`--retention-days`).',
    'Ask for a newer one. Receipts are files of their own: keep those of records that must be proven for longer than the log is kept.',
  ],
  noReceipt: [
    'The record is not sealed yet, or was sealed by a release that made no receipts.',
    'Ask again in a minute. The text says when that will not help.',
  ],
  undoConflict: [
    'Some of the records cannot be undone as they are: a later change has set another value, an instance was deleted since, or its name is taken. Nothing was changed.',
    '`data` lists each record with its conflicts and the later change. Repeat with `"on_conflict": "skip"` to leave those as they are, or with `"force"` to overwrite the later changes.',
  ],
  recordIncomplete: [
    'The record was written by a release that did not record everything that is stored, so that its change cannot be undone exactly.',
    'Make the inverse change yourself: the audit log shows the values before and after.',
  ],
  cursorGone: [
    'The database was reset to an earlier state (a failover to a standby that lagged behind, a restored copy) or is another one: the record of the cursor does not exist in it.',
    'Reload your data, then resume with the cursor in `data`: it follows the last record that both histories share.',
  ],
  staleCursor: [
    'The cursor is invalid, or older than the retention of the log.',
    'Reload your data, then watch from now on.',
  ],
  internal: [
    'A bug in the server. Nothing was changed.',
    'Report it with the quoted request id: the details are in the server log.',
  ],
  denied: [
    'The caller is authenticated but is missing a privilege. Also: a cross-site request of a browser, or an account the caller does not belong to.',
    'The message names the missing privilege, the business, and the roles or groups that grant it. `explain_privilege` answers the same beforehand.',
  ],
  setProtected: [
    'The request renames or deletes the built-in idle pool or one of its modules.',
    'Keep it: it contains the hosts without another module. It is deleted with its business.',
  ],
  modelNotFound: ['There is no object with this identifier.', 'List the objects with `search_object`.'],
  attributeNotDeleted: [
    'The attribute is built in.',
    'Keep it; its values may be empty. Only user-defined attributes can be deleted.',
  ],
  uniqueViolated: [
    'Instances that exist have the same values in the attributes of the rule.',
    'Change the instances that the message names, then create the rule again.',
  ],
  attributeInUniqueRule: [
    'A unique rule names the attribute.',
    'Delete or change the rule first: `search_object_unique` lists the rules of an object.',
  ],
  attributeGroupNotDeleted: [
    'The group is built in, or still contains attributes.',
    'Move its attributes to another group first.',
  ],
  classificationInUse: ['The classification still contains objects.', 'Move or delete them first.'],
  hostsUnder: [
    'The target of the deletion or archiving still contains hosts.',
    'Move them to the idle module or the resource pool first; `?dry_run=true` counts them.',
  ],
  noCloudArea: [
    'The cloud area of the host does not exist.',
    'Omit `bk_cloud_id` (default 0), or create the area first.',
  ],
  tooManyLevels: [
    'The main line already has the maximum number of levels.',
    'Remove one, or raise `--max-levels` if you operate the server.',
  ],
  instanceAssociated: [
    'Another record still refers to the instance: a host, or an association whose deletion rule is `none`.',
    'The message names it. Move the hosts, or delete the association first.',
  ],
  objectsAssociated: [
    'The two objects are associated by this kind already.',
    'Use the existing association, or another kind.',
  ],
  associationInUse: [
    'Instances are associated by it.',
    'Delete their associations first: `search_instance_association` lists them.',
  ],
  noObjectAssociation: [
    'There is no association of objects with this name or id.',
    'Look it up with `search_object_association`.',
  ],
  associationFixed: [
    'Source, target, mapping and identifier of an association stay as they were created.',
    'Create another association, and delete this one when no instances use it.',
  ],
  presetAssociationKind: ['Every account has this kind.', 'Create a kind of your own.'],
  oneToOne: [
    'The mapping is 1:1, and one of the two instances is associated already.',
    'Delete the other association first. An association with the mapping n:n has no such limit.',
  ],
  objectAssociated: [
    'An association of objects names the object as its source or target.',
    'Delete the association with `delete_object_association` first.',
  ],
  associationKindInUse: [
    'An association of objects is of this kind.',
    'Delete that association, or give it another kind, first.',
  ],
  oneToMany: [
    'The mapping is 1:n, and the target has a source already.',
    'Delete the other association first. An association with the mapping n:n has no such limit.',
  ],
  noTargetInstance: [
    'The instance named by `bk_asst_inst_id` does not exist.',
    'Check the id, and that source and target are not exchanged.',
  ],
  noSourceInstance: [
    'The instance named by `bk_inst_id` does not exist.',
    'Check the id, and that source and target are not exchanged.',
  ],
  mainLineKind: [
    'The kind `bk_mainline` belongs to the levels of the main line.',
    'Choose another kind. Levels are created with `create_mainline_object`.',
  ],
  objectHasInstances: ['The object still has instances.', 'Delete them first, or pause the object.'],
  moduleNotFound: ['The module does not exist, or not in this set.', 'Check set and module in the tree.'],
  businessProtected: [
    'The resource pool is a built-in business.',
    'Keep it: it contains the hosts that belong to no other business.',
  ],
  modelPaused: ['The object is paused: its instances cannot be changed.', 'Resume it with `update_object`.'],
  builtInModel: [
    'Business, set, module and host are built in.',
    'Only user-defined levels and objects can be deleted.',
  ],
  sameNameBelow: [
    'Removing the level would place two instances with the same name under one parent.',
    'Rename one of the instances listed in the message. `?dry_run=true` shows all conflicts beforehand.',
  ],
  callbackFailed: [
    'The callback was tested and did not respond, or not with valid HTTP.',
    'The message gives the reason. Try the URL from the machine that the server runs on.',
  ],
  connectionFailed: [
    'The connection to the callback failed.',
    'Check that the receiver is running, its port, and firewalls or proxies in between.',
  ],
  hostElsewhere: [
    'The host belongs to another business.',
    'Move it to the resource pool there first: `move_host_to_idle`, then `move_host_to_resource`.',
  ],
  hostNotIdle: ['Only idle hosts can leave a business.', 'Move the host to the idle module first.'],
  hostNotCreated: [
    'Some rows of the request failed. `data` lists the result of each row.',
    'Correct the rows that failed and send those.',
  ],
  hostNotDeleted: ['The host is in use: it is not in the resource pool.', 'Move it to the resource pool first.'],
  hostNotFound: ['There is no host with this id in this account.', 'Search for it by its address.'],
  hostNotInBusiness: [
    'The request moves hosts within a business that they do not belong to.',
    'Check the ids, or move the hosts into the business first.',
  ],
  filterMissing: [
    'A search by instances of a level names the level but no instance.',
    'Add `bk_inst_id` to the condition on `object`.',
  ],
  badFile: [
    'The whole file cannot be read: not CSV or XLSX, truncated, or with an unknown or missing column.',
    'The message says what and where. `get_import_template` returns a file with the right columns.',
  ],
  differs: [
    'A record with this name already exists with different values.',
    'It was not changed. Decide which of the two is right, and update it manually.',
  ],
  badRow: [
    'One row of the file cannot be imported. The others can.',
    'Correct it in the file of failed rows and import that.',
  ],
}
