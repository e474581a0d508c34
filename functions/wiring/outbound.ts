import { createUrlCheck } from '#shared/http/check-endpoint-url.ts';
import { createPostEvent } from '#shared/http/post-event.ts';
import { createResolveHost } from '#shared/http/resolve-host.ts';
import { readLocalSettings } from '#shared/runtime/local-settings.ts';
import { now } from '#shared/runtime/system.ts';

/** The service's only outbound requests: handshakes and attempts. */
const { trustedOrigins, nameServers: servers } = readLocalSettings();
const resolve = createResolveHost({ trustedOrigins, ...(servers === undefined ? {} : { servers }) });

export const checkUrl = createUrlCheck({ resolve, trustedOrigins });
export const postEvent = createPostEvent({ resolve, trustedOrigins, now });
