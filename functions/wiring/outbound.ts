import { createUrlCheck } from '#shared/http/check-endpoint-url.ts';
import { createPostEvent } from '#shared/http/post-event.ts';
import { createResolveHost } from '#shared/http/resolve-host.ts';
import type { HeaderSettings } from '#shared/operations/delivery/send-attempt.ts';
import { booleanSetting, setting } from '#shared/runtime/environment.ts';
import { readLocalSettings } from '#shared/runtime/local-settings.ts';
import { now } from '#shared/runtime/system.ts';

/** The service's only outbound requests: handshakes and attempts. */
const { trustedOrigins, nameServers: servers } = readLocalSettings();
const resolve = createResolveHost({ trustedOrigins, ...(servers === undefined ? {} : { servers }) });

export const headerSettings: HeaderSettings = {
  serviceName: setting('serviceName'),
  standardWebhooks: booleanSetting('standardWebhooks'),
};
export const checkUrl = createUrlCheck({ resolve, trustedOrigins });
export const postEvent = createPostEvent({ resolve, trustedOrigins, now });
