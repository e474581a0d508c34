import { deliveryHandler } from '../../wiring/deliver.ts';

export const handler = deliveryHandler('ordinary');
