import { InvalidArgumentError } from 'commander';

export function parseText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('Give a value');
}

export function parseForward(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' && url.username === '') return url;
  throw new InvalidArgumentError('Give an http URL without a user name, such as http://localhost:3000/hook');
}

export function parseApi(text: string): string {
  const url = URL.parse(text);
  const isLocal = url?.protocol === 'http:' && /^(localhost|127\..*|\[::1\])$/.test(url.hostname);
  if (url !== null && (url.protocol === 'https:' || isLocal)) return url.href.replace(/\/+$/, '');
  throw new InvalidArgumentError('Give an https URL, such as https://api.example.com');
}

export function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:') return url.href;
  throw new InvalidArgumentError('Give the https URL that the tunnel prints');
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('Give a number from 1 to 65535');
}
