import { optionalSetting, setting } from '#shared/runtime/environment.ts';
import { serveFiles } from '#shared/runtime/serve-files.ts';

/** Serves the documentation, the OpenAPI document and the console, which the build puts beside the bundle. */
export const handler = serveFiles(new URL('files/', import.meta.url), {
  docsUrl: setting('docsUrl'),
  consoleFrameAncestors: optionalSetting('consoleFrameAncestors') ?? '',
});
