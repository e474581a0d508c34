import { activityRecord } from '#shared/contract/records/activity.ts';
import { described, id, listOf, time } from '../described.ts';

export const activitySchemas = {
  Activity: described(activityRecord, 'That somebody did something to an endpoint.', {
    id: id('activity', 'The id of the activity.'),
    action: 'What was done. Later versions may add actions.',
    requested_by: 'Whether a credential of the customer did it, or the operator of the service.',
    credential_id:
      'The id of the API key, portal link or connection. It is not secret: `GET /v1/credential` shows the one of a ' +
      'request. `null` for the operator.',
    delivery_id: 'The test delivery of a registration, the replay or the example; otherwise `null`.',
    replay_id: 'The bulk replay that was started or cancelled; otherwise `null`.',
    created_at: time('When it was done.'),
  }),
  ActivityList: listOf(activityRecord, 'activity'),
} as const;
