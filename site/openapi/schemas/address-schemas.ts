import { sourceAddressesRecord } from '#shared/contract/records/source-addresses.ts';
import { described } from '../described.ts';

export const addressSchemas = {
  SourceAddresses: described(sourceAddressesRecord, 'The addresses that deliveries come from.', {
    addresses:
      'IPv4 addresses. Every test event and every attempt comes from one of them. Empty when this deployment has no ' +
      'fixed addresses.',
  }),
};
