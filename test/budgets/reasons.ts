/** Why a function makes a call, by its name on the recorded pages. A call without a reason fails the test. */
export const reasons: Readonly<Record<string, string>> = {
  'event source: ReceiveMessage': 'Lambda receives a batch, at most ten messages',
  'event source: Invoke': 'One invocation for the batch',
  'event source: DeleteMessageBatch': 'Lambda deletes what the function has done',
  'api: GetItem API key': 'Authenticates the request; a revoked key ends at once',
  'api: UpdateItem Rate window': 'Counts the request against the limit of its credential',
  'api: GetItem Endpoint': 'The endpoint of the path, owned by this customer',
  'api: GetItem Delivery': 'The delivery of the path',
  'api: GetItem Run': 'The Run of the path, or the one whose events are asked for',
  'api: GetItem Tracker': 'The Tracker of the path',
  'api: Query Endpoint': 'The list, strongly consistent',
  'api: Query Delivery':
    'The page, or the newest deliveries, whose time or figures the endpoint shows; one query for each partition',
  'api: Query Event replay': 'The replays of the event; no index leads to them',
  'api: GetItem Change Report place': 'Where the Change Report of the Run is stored',
  'api: GetItem Change Report': 'The event about the Change Report of the Run',
  'api: Query Change Report': 'The page',
  'api: Query Run item': 'The page',
  'api: Query Run, index listed': 'Which Runs are on the page; the index has keys only',
  'api: BatchGetItem Run': 'The Runs of the page; what is missing is read again, strongly consistent',
  'api: Query Creator video, index listed': 'Which videos are on the page; the index has keys only',
  'api: BatchGetItem Creator video':
    'The videos of the page; what is not where the index shows it is read again, strongly consistent',
  'api: Encrypt': 'Seals the new signing secret',
  'api: TransactWriteItems Slots + Endpoint + Delivery':
    'Takes a slot and stores the endpoint and its handshake together',
  'api: UpdateItem Delivery, record': 'Stores the outcome of the handshake, and takes it off the index',
  'api: UpdateItem Endpoint, activate': 'The endpoint acknowledged the handshake',
  'api: UpdateItem Endpoint, rotate': 'Replaces the secret unless an overlap is open',
  'api: TransactWriteItems Endpoint + Tombstone + Deletion + Slots':
    'Deletes the endpoint, keeps its history readable, and frees its slot together',
  'api: TransactWriteItems Delivery + Event replay':
    'Stores the replay, on the index until its first outcome, and names it on the original and its event',
  'api: GetItem Running replay': 'An endpoint has one bulk replay at a time; names it in the refusal',
  'api: GetItem Bulk replay': 'The bulk replay of the path, or its state after the cancellation',
  'api: Query Bulk replay': 'The page',
  'api: TransactWriteItems Running replay + Bulk replay':
    'Stores the job unless the endpoint has another one',
  'api: TransactWriteItems Bulk replay + Running replay':
    'Ends the job and lets the endpoint have another one',
  'api: SendMessage replay': 'The first step; sent before the job is stored, so that every job has a message',
  'api: GetItem Customer': 'The name of the customer that the credential acts for',
  'api: PutItem Activity': 'Notes who did what; none of these requests is on the way of an event',
  'api: Query Activity': 'The page',
  'operator/create-customer: TransactWriteItems Customer + Customer list + Customer reference':
    'Stores the customer with its row in the list, and reserves its reference, together',
  'operator/create-customer: TransactWriteItems Customer + Customer list + Customer reference, refused':
    'A customer has the reference',
  'operator/create-customer: GetItem Customer reference': 'Which customer has the reference',
  'operator/create-customer: GetItem Customer': 'That customer, which is the answer',
  'operator/list-customers: Query Customer list': 'The page',
  'operator/list-customers: GetItem Customer reference': 'Which customer has the reference',
  'operator/list-customers: GetItem Customer': 'That customer',
  'operator/create-api-key: GetItem Request': 'The answer to an earlier call with this idempotency key',
  'operator/create-api-key: Encrypt': 'Seals the answer, which has the key',
  'operator/create-api-key: Decrypt': 'Opens the answer of the earlier call',
  'operator/create-api-key: TransactWriteItems Customer + API key + API key list + Request':
    'Stores the key, its row in the list and the answer together, if the customer exists',
  'operator/list-api-keys: GetItem Customer': 'The customer exists',
  'operator/list-api-keys: Query API key list': 'The page',
  'operator/revoke-api-key: GetItem API key list': 'Where the key is stored, by its id',
  'operator/revoke-api-key: TransactWriteItems API key + API key list': 'Revokes it in both rows together',
  'operator/create-portal-link: GetItem Customer':
    'The customer exists; read again after the write, because a deletion may have begun',
  'operator/create-portal-link: TransactWriteItems Portal link + Portal link list':
    'Stores the link together with its row in the list, where it can be revoked',
  'queue/replay: UpdateItem Bulk replay, claim': 'Reads the job, and lets one worker run the step',
  'queue/replay: GetItem Endpoint': 'A deleted endpoint gets no replays; the lane of the attempts',
  'queue/replay: Query Delivery': 'The next deliveries of the time range, eventually consistent',
  'queue/replay: TransactWriteItems Delivery + Event replay':
    'Stores a replay unless the original has one, so no delivery is replayed twice',
  'queue/replay: SendMessageBatch delivery': 'Queues the first attempts, with delays that make an even pace',
  'queue/replay: TransactWriteItems Bulk replay + Tally':
    'Records the step, with the row that counts how its replays end',
  'queue/replay: TransactWriteItems Bulk replay + Running replay': 'Ends the job with its counts',
  'queue/replay: GetItem Bulk replay': 'The job after its end, for the log',
  'api: PutItem Delivery': 'Stores the example, on the index until its first outcome',
  'api: SendMessageBatch delivery': 'Queues the replay or the example',
  'queue/intake: Query Endpoint': 'The event goes to every live endpoint, so the read is strongly consistent',
  'queue/intake: UpdateItem Run': 'Stores the Run, and its place in the list of Runs the first time',
  'queue/intake: UpdateItem Run, settle':
    'Stores the Run with its fan-out, so that a repeat finds the same event',
  'queue/intake: BatchExecuteStatement Run, insert':
    'The same for Runs whose form is expected from the last ones; many in one call',
  'queue/intake: PutItem Run item version': 'Another version of a video must not become a second item',
  'queue/intake: BatchWriteItem Run item': 'Stores the items, at most 25 in a call',
  'queue/intake: PutItem Tracker': 'Stores the Tracker',
  'queue/intake: PutItem Change Report place': 'A second message about a report must not create another',
  'queue/intake: PutItem Change Report': 'Stores the report with its fan-out',
  'queue/intake: PutItem Creator video':
    'Stores each video unless a newer one is stored, and its place in the list',
  'queue/intake: BatchExecuteStatement Delivery, insert':
    'A delivery exists before its message, so a lost message loses nothing; many in one call',
  'queue/intake: SendMessageBatch delivery': 'Queues the first attempts, at most ten in a call',
  'queue/deliver: BatchGetItem Endpoint': 'No POST begins after a deletion or under an old secret',
  'queue/deliver: Decrypt': 'Opens the signing secret, which a function caches for five minutes',
  'queue/deliver: BatchExecuteStatement Delivery, claim':
    'Counts the attempts of a batch before their POSTs: never more than three for a delivery',
  'queue/deliver: BatchExecuteStatement Delivery, record':
    'Stores the outcomes of first attempts that end deliveries',
  'queue/deliver: UpdateItem Endpoint, note health':
    'Only the first delivery that fails, and the next one that is delivered',
  'queue/deliver: UpdateItem Delivery, record':
    'Stores the outcome of a failure with the time of the next attempt, on an index, or of a retry',
  'queue/deliver: CreateSchedule': 'The timer of the next attempt',
  'queue/deliver: Query Delivery': 'Whether the newest deliveries show the time of a retry or a late attempt',
  'schedule/sweep: Query Waiting delivery, index waiting': 'Looks for overdue deliveries in each of 8 shards',
  'schedule/sweep: UpdateItem Delivery, postpone': 'Two sweeps must not queue the same delivery',
  'schedule/sweep: SendMessageBatch delivery': 'Queues overdue attempts',
  'schedule/audit: GetQueueAttributes intake': 'A full queue explains deliveries that wait',
  'schedule/audit: GetQueueAttributes delivery': 'A full queue explains deliveries that wait',
  'schedule/audit: GetQueueAttributes slow-delivery': 'A full queue explains deliveries that wait',
  'schedule/audit: Query Customer list': 'The customers, a page at a time',
  'schedule/audit: Query Endpoint': 'The endpoints of a customer',
  'schedule/audit: Query Deletion': 'The endpoints that were deleted lately: their deliveries may wait',
  'schedule/audit: Query Earlier tombstone': 'Endpoints whose deletion an earlier release stored',
  'schedule/audit: Query Delivery': 'The deliveries of the hours, one query for each partition',
  'schedule/audit: GetItem Running replay': 'A bulk replay that nothing continues',
};
