import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback } from '../../tools/local/servers/loopback-server.ts';

/** The application behind every server: `/slow/` takes 1 s, `/large-body/` has 4 MB, `/headers-20/` 20 KiB of headers. */
export async function startApplication(parts: AsyncDisposableStack) {
  const counts = new Map<string, number>();
  const server = createServer(async ({ url = '', headers }, response) => {
    // Proxies relay the header of the event; handlers add it to the path.
    const place = url.includes('?') ? url : `${url}?${headers['x-service-event-id']}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
    const [, behaviour = '', kib = 0] = /^\/([a-z-]+)(\d+)?/.exec(url) ?? [];
    for (let left = Number(kib); left > 0; left -= 1) response.setHeader(`X-Large-${left}`, 'x'.repeat(1_008));
    response.shouldKeepAlive = false;
    if (behaviour === 'slow') await sleep(1_000);
    if (behaviour === 'large-body') for (let n = 0; n < 64; n += 1) response.write(Buffer.alloc(64 * 1_024));
    response.end('ok');
  });
  const { url, close } = await listenOnLoopback(server, 0, 'any');
  parts.defer(() => close());
  const requests = (path = '', eventId: string): number => counts.get(`${path}?${eventId}`) ?? 0;
  return { address: new URL(url).host, requests };
}
