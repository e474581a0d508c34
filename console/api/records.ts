import type { components } from '../../packages/api-client/schema.ts';

/** The records of the API, as docs/openapi.json describes them. */
type Schemas = components['schemas'];

export type Activity = Schemas['Activity'];
export type Attempt = Schemas['Attempt'];
export type BulkReplay = Schemas['BulkReplay'];
export type BulkReplayPlan = Schemas['BulkReplayPlan'];
export type BulkReplayRequest = Schemas['BulkReplayRequest'];
export type ChangeReport = Schemas['ChangeReport'];
export type Credential = Schemas['Credential'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type EndpointDelivery = Schemas['EndpointDelivery'];
export type Problem = Schemas['Problem'];
export type Registration = Schemas['WebhookRegistration'];
export type Run = Schemas['Run'];
export type Tracker = Schemas['Tracker'];
export type Webhook = Schemas['Webhook'];
export type WebhookStats = Schemas['WebhookStats'];

/** Whose data a session shows. */
export type Account = {
  readonly id: string;
  /** What readers see: the public name of the customer, or its id when it has none. */
  readonly label: string;
};

export function accountOf({ customer_id: id, customer_name: name }: Credential): Account {
  return { id, label: name ?? id };
}
