import { type RequestKey, requestKeyLasts, type StoredRequest } from '#shared/domain/request-key.ts';
import type { AskTable } from './io.ts';
import type { MemoryTable } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';

export function requestPorts(table: MemoryTable, ask: AskTable) {
  const { requests } = table;
  return {
    beginRequest: (request, first, now) =>
      ask('begin request', () => {
        const stored = requests.get(nameOf(request));
        // The client retries a write whose response was lost.
        if (stored?.token === first.token) return null;
        const isOver = stored !== undefined && expiryOf(stored) <= Math.floor(now / 1000);
        if (stored !== undefined && !stored.isFree && !isOver) return stored;
        requests.set(nameOf(request), {
          ...first,
          fingerprint: request.fingerprint,
          begunAt: now,
          isFree: false,
          secret: null,
          answer: null,
        });
        return null;
      }),

    continueRequest: (key, last, next) =>
      ask('continue request', () => {
        const stored = requests.get(nameOf(key));
        if (stored?.token === next.token) return stored;
        if (stored?.token !== last.token || stored.answer !== null || stored.isFree) return null;
        const left = { ...stored, ...next };
        requests.set(nameOf(key), left);
        return left;
      }),

    changeRequest: (key, token, change) =>
      ask('change request', () => {
        const stored = requests.get(nameOf(key));
        if (stored?.token !== token) return false;
        requests.set(nameOf(key), { ...stored, ...change });
        return true;
      }),
  } satisfies Partial<TableNeeds>;
}

const nameOf = ({ customerId, digest }: RequestKey): string => `${customerId}#${digest}`;

const expiryOf = ({ begunAt }: StoredRequest): number => Math.floor((begunAt + requestKeyLasts) / 1000);
