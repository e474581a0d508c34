import { presentSourceAddresses } from '#shared/contract/records/source-addresses.ts';
import { optionalSetting } from '#shared/runtime/environment.ts';
import { customerOperation } from '../../wiring/customer-operation.ts';

const record = presentSourceAddresses(optionalSetting('sourceAddresses'));

export const handler = customerOperation('getAddresses', () => Promise.resolve(record));
