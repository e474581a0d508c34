/**
 * Names of the environment variables that `lib/` sets and functions read. Each function gets only those that it needs.
 */
export const environmentNames = {
  /** Name of the single DynamoDB table. */
  tableName: 'TABLE_NAME',
  /** Name of the deployment; every metric carries it, because several deployments can share an account. */
  stage: 'STAGE',
  /** URL of the queue that the Run engine sends to. */
  intakeQueueUrl: 'INTAKE_QUEUE_URL',
  /** URL of the queue that carries due attempts. */
  deliveryQueueUrl: 'DELIVERY_QUEUE_URL',
  /** URL of the queue that carries due attempts at slow endpoints. */
  slowDeliveryQueueUrl: 'SLOW_DELIVERY_QUEUE_URL',
  /** URL of the queue that carries the steps of bulk replays. */
  replayQueueUrl: 'REPLAY_QUEUE_URL',
  /** URL of the queue for steps of bulk replays that can never be processed. */
  replayDeadLetterQueueUrl: 'REPLAY_DEAD_LETTER_QUEUE_URL',
  /** URL of the queue for intake messages that can never be processed. */
  intakeDeadLetterQueueUrl: 'INTAKE_DEAD_LETTER_QUEUE_URL',
  /** URL of the queue for delivery messages that can never be processed. */
  deliveryDeadLetterQueueUrl: 'DELIVERY_DEAD_LETTER_QUEUE_URL',
  /** ARN of the KMS key that encrypts signing secrets. */
  secretsKeyArn: 'SECRETS_KEY_ARN',
  /** Name of the EventBridge Scheduler group that holds the retry schedules of this stage. */
  scheduleGroup: 'SCHEDULE_GROUP',
  /** ARN of the role that EventBridge Scheduler assumes to send to the queues of due attempts. */
  schedulerRoleArn: 'SCHEDULER_ROLE_ARN',
  /** Public address of the API without a trailing slash; links in events and records start with it. */
  baseUrl: 'BASE_URL',
  /** Address below which problem types are documented, without a trailing slash. */
  docsUrl: 'DOCS_URL',
  /** Supported platforms of creators, separated by commas. */
  supportedPlatforms: 'SUPPORTED_PLATFORMS',
  /** The word between `X-` and `-Signature` in the headers of a delivery. */
  serviceName: 'SERVICE_NAME',
  /** `true` or `false`: whether deliveries carry the headers of Standard Webhooks. */
  standardWebhooks: 'STANDARD_WEBHOOKS',
  /** Origins whose pages may show the console in a frame, separated by spaces. Unset: none. */
  consoleFrameAncestors: 'CONSOLE_FRAME_ANCESTORS',
  /** Addresses that deliveries come from, separated by commas. Unset: they change. */
  sourceAddresses: 'SOURCE_ADDRESSES',
  /** URL of the queue for notices to the operator. Unset, as the next two are: there are none. */
  noticesQueueUrl: 'NOTICES_QUEUE_URL',
  /** Number of failures in a row of which the operator gets a notice. */
  noticeAfter: 'NOTICE_AFTER',
  /** Address of the console; links in notices start with it. */
  consoleUrl: 'CONSOLE_URL',
  /** Days for which finished deliveries and stored results are kept. Unset: they are kept. */
  retentionDays: 'RETENTION_DAYS',
  /** The issuer of access tokens, exactly as in `iss`. Without an issuer, this and the next two are unset. */
  tokenIssuer: 'TOKEN_ISSUER',
  /** A value that `aud` of an access token must contain. */
  tokenAudience: 'TOKEN_AUDIENCE',
  /** URL of the issuer's key set. */
  tokenJwksUrl: 'TOKEN_JWKS_URL',
} as const;

/**
 * Set by the local stack only. A function that finds one of them inside Lambda does not start.
 */
export const localEnvironmentNames = {
  /** JSON array of https origins of receivers that need no public address. */
  trustedOrigins: 'LOCAL_TRUSTED_ORIGINS',
  /** Factor by which the Scheduler stand-in shortens waits; attempts may then arrive before they are due, also at 1. */
  timeScale: 'LOCAL_TIME_SCALE',
  /** JSON array of name servers as `address:port`, instead of the system's. */
  nameServers: 'LOCAL_NAME_SERVERS',
  /** Milliseconds that AWS clients wait for a silent service, in place of `idleTimeout`. */
  idleTimeout: 'LOCAL_IDLE_TIMEOUT',
  /** http origin of the stack's token issuer; every other issuer needs https. */
  issuerOrigin: 'LOCAL_ISSUER_ORIGIN',
} as const;
