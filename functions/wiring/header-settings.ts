import type { HeaderSettings } from '#shared/domain/delivery-headers.ts';
import { booleanSetting, setting } from '#shared/runtime/environment.ts';

export const headerSettings: HeaderSettings = {
  serviceName: setting('serviceName'),
  standardWebhooks: booleanSetting('standardWebhooks'),
};
