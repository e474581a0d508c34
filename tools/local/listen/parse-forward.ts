import { InvalidArgumentError } from 'commander';

/**
 * Reads the address of one's own server: a URL, or a part of one as the forwarders of other services take it, such as
 * `localhost:3000/hook` or `3000`.
 *
 * @throws InvalidArgumentError that says what is expected
 */
export function parseForward(text: string): URL {
  const given = text.trim().replace(/^:?(?=\d+(?:[/?]|$))/, 'localhost:');
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `http://${given}`);
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.port !== '0' && url.username === '';
  // Without a host, the parser would take the first part of a path for one.
  if (isUsable && url.password === '' && !/^(?:https?:\/\/)?[/?]/i.test(given)) return url;
  throw new InvalidArgumentError(
    'Give the address of your server without a user name, such as http://localhost:3000/hook, ' +
      'https://localhost:5001/hook, localhost:3000/hook or 3000',
  );
}
