import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ResponseReader } from '#shared/http/response-reader.ts';
import { posts, settled, usePostWorld } from '../../support/http/post-world.ts';
import { type ResponseForm, responseForms, writesOf } from '../../support/http/response-forms.ts';

const world = await usePostWorld();

it.each(responseForms)('a response with $name counts by its status, if it has one', async (form) => {
  const { outcome, keepsConnection } = form;
  const receiver = await world.endpoint({ onData: (socket) => void answer(socket, form) });

  const result = await receiver.post();
  // A reset discards unread input, so it comes after the head was read.
  if (form.afterwards === 'reset') receiver.reset();

  expect(result).toMatchObject({ outcome: outcome.outcome, responseStatus: outcome.status });
  expect(receiver.received.map((chunks) => posts(chunks))).toEqual([1]);
  if (keepsConnection) {
    await settled();
    expect(await receiver.post()).toMatchObject({ outcome: outcome.outcome });
    expect(receiver.received.map((chunks) => posts(chunks))).toEqual([2]);
  }
});

it.each(responseForms)('the connection after a response with $name is kept only without doubt', (form) => {
  const reader = new ResponseReader();

  for (const bytes of writesOf(form)) {
    reader.read(bytes);
    if (reader.fault !== null) break;
  }

  expect(reader.leavesConnectionUsable).toBe(form.keepsConnection);
});

async function answer(socket: Socket, form: ResponseForm): Promise<void> {
  for (const bytes of writesOf(form)) {
    if (socket.destroyed) return;
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
  }
  if (form.afterwards === 'close') socket.end();
}
