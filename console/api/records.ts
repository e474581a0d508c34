import type { components } from '../../packages/api-client/schema.ts';

/** The records of the API, as docs/openapi.json describes them. */
type Schemas = components['schemas'];

export type Attempt = Schemas['Attempt'];
export type BulkReplay = Schemas['BulkReplay'];
export type BulkReplayPlan = Schemas['BulkReplayPlan'];
export type ChangeReport = Schemas['ChangeReport'];
export type Credential = Schemas['Credential'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type EndpointDelivery = Schemas['EndpointDelivery'];
export type Problem = Schemas['Problem'];
export type Registration = Schemas['WebhookRegistration'];
export type Run = Schemas['Run'];
export type Tracker = Schemas['Tracker'];
export type Video = Schemas['Video'];
export type Webhook = Schemas['Webhook'];
