/** What happens at a server, for a customer of its own. */
export type Scenario = {
  readonly name: string;
  /** One endpoint for each. */
  readonly paths: readonly string[];
  /** Milliseconds after the start, for each event. */
  readonly events: readonly number[];
  /** The same, for each reload of the server. */
  readonly reloads?: readonly number[];
  /** Seconds for which the server keeps an idle connection. */
  readonly keepAlive?: number;
  /** Milliseconds by which the line to the server is longer, in each direction. */
  readonly delayMs?: number;
};

const every = (ms: number, count: number, spreadMs = 0) =>
  Array.from({ length: count }, (_, n) => n * ms + ((n * n * 7) % (spreadMs + 1)));

const reload = { name: 'reload', paths: ['/plain/'], events: every(33, 600), reloads: every(3_000, 7) };
const farReload = { ...reload, name: 'reload, round trip 60 ms', delayMs: 30 };
const forms = ['large-body', 'headers-20', 'headers-40', 'headers-60'];
const relayed = forms.map((name) => ({ name, paths: [`/${name}/`], events: every(100, 20) }));

/** Five connections that get their next requests when the server is about to end them. */
const nearTheEnd = (keepAlive: number, delayMs: number): Scenario => ({
  name: `keep-alive ${keepAlive} s, round trip ${2 * delayMs} ms`,
  paths: [1, 2, 3, 4, 5].map((n) => `/plain/${delayMs}/${n}`),
  events: every(keepAlive * 1_000, 40, 150),
  keepAlive,
  delayMs,
});

export function scenariosOf(server: string): readonly Scenario[] {
  if (server === 'slow-gunicorn') return [{ name: 'burst of 40', paths: ['/slow/'], events: every(10, 40) }];
  const isProxy = ['nginx', 'apache', 'caddy', 'haproxy'].includes(server);
  const seconds = server === 'gunicorn' ? 2 : 1;
  const whole = [...(isProxy ? relayed : []), nearTheEnd(seconds, 0), nearTheEnd(seconds, 30)];
  // The restarts of Puma reset new connections, whatever the client.
  return server === 'puma' ? whole : [reload, farReload, ...whole];
}
