/**
 * Names of the environment variables that `lib/` sets and the functions read. Each function gets only those
 * it needs.
 */
export const environmentNames = {
  /** Name of the single DynamoDB table. */
  tableName: 'TABLE_NAME',
  /** Name of the deployment, which tells its metrics from those of others in the account. */
  stage: 'STAGE',
  /** URL of the queue that the Run engine sends to. */
  intakeQueueUrl: 'INTAKE_QUEUE_URL',
  /** URL of the queue that carries due attempts. */
  deliveryQueueUrl: 'DELIVERY_QUEUE_URL',
  /** URL of the queue that intake messages are moved to when they can never be processed. */
  intakeDeadLetterQueueUrl: 'INTAKE_DEAD_LETTER_QUEUE_URL',
  /** URL of the queue that delivery messages are moved to when they can never be processed. */
  deliveryDeadLetterQueueUrl: 'DELIVERY_DEAD_LETTER_QUEUE_URL',
  /** ARN of the KMS key that encrypts signing secrets. */
  secretsKeyArn: 'SECRETS_KEY_ARN',
  /** Name of the EventBridge Scheduler group that holds the retry schedules of this stage. */
  scheduleGroup: 'SCHEDULE_GROUP',
  /** ARN of the role that EventBridge Scheduler assumes to send to the delivery queue. */
  schedulerRoleArn: 'SCHEDULER_ROLE_ARN',
  /** Public address of the API without a trailing slash; links in events and records start with it. */
  baseUrl: 'BASE_URL',
  /** Address below which problem types are documented, without a trailing slash. */
  docsUrl: 'DOCS_URL',
  /** Platforms that creators may be asked for, separated by commas. */
  supportedPlatforms: 'SUPPORTED_PLATFORMS',
  /** The word between `X-` and `-Signature` in the headers of a delivery. */
  serviceName: 'SERVICE_NAME',
  /** Who issues access tokens, exactly as their `iss` has it. This and the next two are unset where there is none. */
  tokenIssuer: 'TOKEN_ISSUER',
  /** What `aud` of an access token must name. */
  tokenAudience: 'TOKEN_AUDIENCE',
  /** Where the issuer publishes its keys. */
  tokenJwksUrl: 'TOKEN_JWKS_URL',
} as const;

/**
 * Set by the local stack only. The code that reads them refuses to start when it finds them inside Lambda.
 */
export const localEnvironmentNames = {
  /** JSON array of https origins that may be delivered to although they are not public. */
  trustedOrigins: 'LOCAL_TRUSTED_ORIGINS',
  /** How many times shorter the Scheduler stand-in waits; an early wake-up is then not a fault. */
  timeScale: 'LOCAL_TIME_SCALE',
  /** http origin of the stack's own token issuer; keys are fetched by https from every other. */
  issuerOrigin: 'LOCAL_ISSUER_ORIGIN',
} as const;
