import { defaultPlatforms } from '#shared/contract/platforms.ts';
import { problemCodeNames } from '#shared/contract/problem-codes.ts';
import { bulkReplayRecord } from '#shared/contract/records/bulk-replay.ts';
import { credentialKinds } from '#shared/contract/records/credential.ts';
import { runRecord } from '#shared/contract/records/run.ts';
import { webhookRecord } from '#shared/contract/records/webhook.ts';
import { activityActions } from '#shared/domain/activity.ts';
import { attemptOutcomes } from '#shared/domain/attempt.ts';
import { bulkReplayStatuses, replayableResponses, replayableStatuses } from '#shared/domain/bulk-replay.ts';
import { deliveryStatuses, statusFilters } from '#shared/domain/delivery.ts';
import { eventTypes, exampleTypes } from '#shared/domain/event.ts';
import { responseClasses } from '#shared/domain/response-class.ts';
import { statsWindows } from '#shared/domain/stats-window.ts';
import { runOutcomes } from './event-schemas.ts';

type DescribedEnum = readonly [description: string, values: readonly string[]];

/** Every enum of the document. An enum in a schema gets its name by its values. */
export const enumSchemas = {
  CredentialKind: ['The kind of a credential.', credentialKinds],
  WebhookStatus: ['The state of an endpoint.', webhookRecord.shape.status.options],
  DeliveryStatus: ['The state of a delivery.', deliveryStatuses],
  DeliveryStatusFilter: ['A state of deliveries, or `retrying`: `pending` after a failed attempt.', statusFilters],
  ResponseClass: ['How a receiver answered: the class of its status, or `none` for no response.', responseClasses],
  ReplayableStatus: ['The status of deliveries that a bulk replay can take.', replayableStatuses],
  ReplayableResponse: [
    'How the last attempt of a delivery went: the class of the response, `none` for no response, or the outcome of an ' +
      'attempt without a usable one.',
    replayableResponses,
  ],
  BulkReplayStatus: ['The state of a bulk replay.', bulkReplayStatuses],
  BulkReplayRequester: [
    'Who asked for something: the customer, or the operator of the deployment.',
    bulkReplayRecord.shape.requested_by.options,
  ],
  ActivityAction: ['What was done to an endpoint.', activityActions],
  AttemptOutcome: [
    'The result of an attempt. `acknowledged`: complete 2xx response headers arrived in time. `rejected`: any other ' +
      'status, redirects included. `timed_out`: no complete response headers in time. `address_refused`: the host has ' +
      'an address that is not public, or the URL is not allowed. `dns_failed`: the host name does not resolve. ' +
      '`connection_failed`: no connection, or a lost one. `tls_failed`: the TLS handshake or the certificate. ' +
      '`invalid_response`: no status line of HTTP/1.1, or headers larger than 64 KiB. `interrupted`: the service stopped ' +
      'before it recorded a result.',
    attemptOutcomes,
  ],
  EventType: ['The type of an event. Ignore types that you do not know.', eventTypes],
  ExampleType: ['A type of event that reports something: each type but `webhook.test`.', exampleTypes],
  StatsWindow: ['A time that figures can be of.', statsWindows],
  RunStatus: ['The state of a Run.', runRecord.shape.status.options],
  RunOutcome: ['How a Run settled.', runOutcomes],
  Platform: ['A platform whose creators can be queried. A deployment can support other platforms.', defaultPlatforms],
  ProblemCode: ['The stable name of a failure. Later versions add codes and never rename one.', problemCodeNames],
} as const satisfies Readonly<Record<string, DescribedEnum>>;
