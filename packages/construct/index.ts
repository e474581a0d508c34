export type { StageSettings, WebhookServiceProps } from '../../lib/settings/service-props.ts';
// biome-ignore lint/performance/noBarrelFile: what apps import from the package, and nothing here imports it
export { WebhookService } from '../../lib/webhook-service.ts';
