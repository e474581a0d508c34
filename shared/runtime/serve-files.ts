import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { problem } from '#shared/contract/problem.ts';
import { type FileFolder, openFileFolder, type ServedFile } from './file-folder.ts';
import { headerList, requestedPath, requestIdOf } from './proxy-event.ts';
import { problemResponse } from './responses.ts';

/** Pages load only files of their own origin, and no page of another origin may show them in a frame. */
const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** The console also calls the API of its own origin. */
const consolePolicy = [...pagePolicy, "connect-src 'self'"];

const consoleAddress = 'console';

/** The page for browsers that ask for a file that does not exist. Its links start at the root. */
const missingPageAddress = '404';

/** Where the root of the API leads. */
const startAddress = 'docs/index';

type Settings = {
  /** Where problem types are documented, without a trailing slash. */
  readonly docsUrl: string;
  /** Origins whose pages may show the console in a frame, separated by spaces; empty for none. */
  readonly consoleFrameAncestors: string;
};

type Headers = Readonly<Record<string, string>>;

function securityHeaders(address: string, { consoleFrameAncestors }: Settings) {
  const isConsole = address === consoleAddress;
  const ancestors = isConsole && consoleFrameAncestors !== '' ? consoleFrameAncestors : "'none'";
  const policy = [...(isConsole ? consolePolicy : pagePolicy), `frame-ancestors ${ancestors}`];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // Nothing here answers plain HTTP, so a page that does is not ours. Browsers ignore the header of a local stack.
    'Strict-Transport-Security': 'max-age=31536000',
  };
}

/** A page changes with a deployment. The name of an asset contains a digest of its content. */
const pageCaching = 'public, max-age=300';
const assetCaching = 'public, max-age=31536000, immutable';

/**
 * A handler that serves the files of a folder, at the paths of the API that are their addresses. The address of a
 * folder leads to its `index` page, and that of the root leads browsers to the documentation.
 */
export function serveFiles(
  folder: URL,
  settings: Settings,
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const files = openFileFolder(folder);
  return async (event) => {
    const address = requestedAddress(event);
    const location = await redirection(address, event, files.has);
    const security = securityHeaders(address, settings);
    if (location !== undefined) return redirect(location, security);
    const file = await files.read(address);
    if (file === undefined) return await missing(event, address, files, settings);
    return fileResponse(address, file, event, security);
  };
}

/** Whether the header `Accept` names pages, as that of programs does not. */
function isBrowser(event: APIGatewayProxyEvent): boolean {
  return namesOf(event, 'accept').includes('text/html');
}

/**
 * The page for a missing file leads back by as many steps as its path has. Anybody can ask for thousands, and each link
 * would repeat them, so a deeper path than any page has gets the problem.
 */
const deepestMissing = 10;

/** A page with the menu for browsers, and a problem for programs. */
async function missing(
  event: APIGatewayProxyEvent,
  address: string,
  files: FileFolder,
  settings: Settings,
): Promise<APIGatewayProxyResult> {
  const isPage = isBrowser(event) && address.split('/').length <= deepestMissing;
  const page = isPage ? await files.read(missingPageAddress) : undefined;
  const answer =
    page === undefined
      ? problemResponse(problem('not_found'), settings.docsUrl, requestIdOf(event))
      : {
          statusCode: 404,
          headers: missingPageHeaders(page, settings),
          body: linkedFrom(event, address, page),
        };
  return { ...answer, headers: { ...answer.headers, Vary: 'Accept' } };
}

function missingPageHeaders({ type }: ServedFile, settings: Settings): Headers {
  return {
    ...securityHeaders(missingPageAddress, settings),
    'Content-Type': type,
    'Cache-Control': 'no-store',
  };
}

/** The page with the same links from the folder of the requested path. */
function linkedFrom(event: APIGatewayProxyEvent, address: string, { text }: ServedFile): string {
  const depth = address.split('/').length - (requestedPath(event).endsWith('/') ? 0 : 1);
  return text.replace(/ (href|src)="(?![#/]|\w+:)/g, (start) => start + '../'.repeat(depth));
}

/** From the route and its parameters: the path also contains the stage, or the base path of a domain. */
function requestedAddress({ resource, pathParameters }: APIGatewayProxyEvent): string {
  return resource
    .replace(/\{(\w+)\+?\}/g, (_parameter, name: string) => pathParameters?.[name] ?? '')
    .replace(/^\/|\/$/g, '');
}

/**
 * Where a folder, or a page with a slash at its end, is. Relative to the request, because a stage or a proxy can put a
 * prefix in front of the path. Pages have relative links, which need the path without the slash.
 */
async function redirection(
  address: string,
  event: APIGatewayProxyEvent,
  has: (address: string) => Promise<boolean>,
): Promise<string | undefined> {
  const path = requestedPath(event);
  const endsWithSlash = path.endsWith('/');
  if (address === '' && !isBrowser(event)) return undefined;
  if (address === '') return endsWithSlash ? startAddress : `${lastSegment(path)}/${startAddress}`;
  const last = lastSegment(address);
  if (await has(`${address}/index`)) return endsWithSlash ? 'index' : `${last}/index`;
  return endsWithSlash && (await has(address)) ? `../${last}` : undefined;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function redirect(location: string, security: Headers): APIGatewayProxyResult {
  const headers = { ...security, 'Cache-Control': pageCaching, Location: location, Vary: 'Accept' };
  return { statusCode: 302, headers, body: '' };
}

function fileResponse(
  address: string,
  { type, digest, text, gzip }: ServedFile,
  event: APIGatewayProxyEvent,
  security: Headers,
): APIGatewayProxyResult {
  const isZipped = namesOf(event, 'accept-encoding').includes('gzip');
  const etag = `"${digest}${isZipped ? '-gzip' : ''}"`;
  const headers = {
    ...security,
    'Cache-Control': address.includes('/assets/') ? assetCaching : pageCaching,
    ETag: etag,
    Vary: 'Accept-Encoding',
  };
  const isKnown = namesOf(event, 'if-none-match').some((known) => known.replace(/^W\//, '') === etag);
  if (isKnown) return { statusCode: 304, headers, body: '' };
  const typed = { ...headers, 'Content-Type': type };
  if (!isZipped) return { statusCode: 200, headers: typed, body: text };
  // API Gateway decodes Base64, because all its media types are binary.
  return {
    statusCode: 200,
    headers: { ...typed, 'Content-Encoding': 'gzip' },
    body: gzip,
    isBase64Encoded: true,
  };
}

/** The entries of a list in a header, without their parameters and without those that the client refuses. */
function namesOf(event: APIGatewayProxyEvent, header: string): readonly string[] {
  const wanted = headerList(event, header).filter((entry) => !/;\s*q=0(\.0*)?\s*$/.test(entry));
  return wanted.map((entry) => entry.split(';')[0]?.trim() ?? '');
}
