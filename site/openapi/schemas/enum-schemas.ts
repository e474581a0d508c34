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

type DescribedEnum = { readonly description: string; readonly values: readonly string[] };

/** Every enum of the document. An enum in a schema gets its name by its values. */
export const enumSchemas = {
  CredentialKind: { description: 'The kind of a credential.', values: credentialKinds },
  WebhookStatus: { description: 'The state of an endpoint.', values: webhookRecord.shape.status.options },
  DeliveryStatus: { description: 'The state of a delivery.', values: deliveryStatuses },
  DeliveryStatusFilter: {
    description: 'A state of deliveries, or `retrying`: `pending` after a failed attempt.',
    values: statusFilters,
  },
  ResponseClass: {
    description: 'How a receiver answered: the class of its status, or `none` for no response.',
    values: responseClasses,
  },
  ReplayableStatus: {
    description: 'The status of deliveries that a bulk replay can take.',
    values: replayableStatuses,
  },
  ReplayableResponse: {
    description:
      'How the last attempt of a delivery went: the class of the response, `none` for no response, or the outcome of an ' +
      'attempt without a usable one.',
    values: replayableResponses,
  },
  BulkReplayStatus: { description: 'The state of a bulk replay.', values: bulkReplayStatuses },
  BulkReplayRequester: {
    description: 'Who asked for something: the customer, or the operator of the deployment.',
    values: bulkReplayRecord.shape.requested_by.options,
  },
  ActivityAction: { description: 'What was done to an endpoint.', values: activityActions },
  AttemptOutcome: {
    description:
      'The result of an attempt. `acknowledged`: complete 2xx response headers arrived in time. `rejected`: any other ' +
      'status, redirects included. `timed_out`: no complete response headers in time. `address_refused`: the host has ' +
      'an address that is not public, or the URL is not allowed. `dns_failed`: the host name does not resolve. ' +
      '`connection_failed`: no connection, or a lost one. `tls_failed`: the TLS handshake or the certificate. ' +
      '`invalid_response`: no status line of HTTP/1.1, or headers larger than 64 KiB. `interrupted`: the service stopped ' +
      'before it recorded a result.',
    values: attemptOutcomes,
  },
  EventType: { description: 'The type of an event. Ignore types that you do not know.', values: eventTypes },
  ExampleType: {
    description: 'A type of event that reports something: each type but `webhook.test`.',
    values: exampleTypes,
  },
  StatsWindow: { description: 'A time that figures can be of.', values: statsWindows },
  RunStatus: { description: 'The state of a Run.', values: runRecord.shape.status.options },
  RunOutcome: { description: 'How a Run settled.', values: runOutcomes },
  Platform: {
    description: 'A platform whose creators can be queried. A deployment can support other platforms.',
    values: defaultPlatforms,
  },
  ProblemCode: {
    description: 'The stable name of a failure. Later versions add codes and never rename one.',
    values: problemCodeNames,
  },
} as const satisfies Readonly<Record<string, DescribedEnum>>;
