import { connectApi, resultOf } from '../../packages/api-client/client.ts';
import { eventually } from '../support/stack/eventually.ts';
import type { Emulator } from './emulator.ts';

/** A customer of a deployed stage, who asks its API. @param cwd folder of the release whose commands act on the stage */
export async function openCustomer({ run, url, receiver }: Emulator, cwd: string, stage: string, apiUrl = '') {
  const admin = (...args: readonly string[]) => run(cwd, 'node', 'bin/admin.ts', ...args, '--stage', stage);
  const id = find(/cus_\w+/, await admin('customers', 'create', '--name', 'Emulated'));
  const credential = find(/key_[\w-]+/, await admin('keys', 'issue', '--customer', id));
  const [apiId, path] = [find(/(?<=^https:..)\w+/, apiUrl), new URL(apiUrl).pathname];
  const api = connectApi({ url: `${url}/_aws/execute-api/${apiId}${path}`, credential });
  const history = async (endpoint: string) => {
    const params = { path: { id: endpoint } };
    const { items } = await resultOf(api.GET('/v1/webhooks/{id}/deliveries', { params }));
    return items.filter(({ event_type }) => event_type !== 'webhook.test');
  };
  return {
    id,
    history,
    register: async (name: string) => {
      const body = { url: `${receiver.origin}/${id}-${name}` };
      const { webhook } = await resultOf(api.POST('/v1/webhooks', { body }));
      if (webhook.status !== 'active') throw new Error(`${webhook.id} is ${webhook.status}`);
      return webhook.id;
    },
    /** Sends a message with the commands of a release. */
    emit: (release: string) => run(release, 'node', 'bin/emit.ts', 'run.settled', '--customer', id, '--stage', stage),
    /** Waits until as many deliveries were attempted and have this status. */
    until: (endpoint: string, status: string, count: number) =>
      eventually(
        async () => {
          const items = await history(endpoint);
          if (items.filter((each) => each.attempts > 0 && each.status === status).length < count)
            throw new Error(`Not ${count} deliveries are ${status}: ${JSON.stringify(items)}`);
        },
        { timeout: 120_000 },
      ),
  };
}

function find(pattern: RegExp, text: string): string {
  const [found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`Nothing matches ${pattern} in:\n${text}`);
  return found;
}
