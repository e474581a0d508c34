import { Command } from 'commander';
import { addConnectionCommands, addTokenCommands } from '../customers/connection-commands.ts';
import { addKeyCommands, addPortalLinkCommands } from '../customers/credential-commands.ts';
import { addCustomerCommands } from '../customers/customer-commands.ts';
import { addDeadLetterCommands } from '../dead-letters/dead-letter-commands.ts';
import { addAuditCommand } from '../deliveries/audit-command.ts';
import { addDeliveryCommands } from '../deliveries/delivery-commands.ts';
import { addWebhookCommands } from '../endpoints/webhook-commands.ts';
import { addReplayCommands } from '../replays/replay-commands.ts';
import { addStartCommand } from '../replays/start-command.ts';
import { type Output, outputTo } from './output.ts';

/** The operator's command line. */
export function adminProgram(print: Output): Command {
  const program = new Command('npm run admin --')
    .description('Administer the local stack or a deployed stage')
    .configureOutput(outputTo(print));
  const group = (name: string, description: string) => program.command(name).description(description);
  addCustomerCommands(group('customers', 'Customers'));
  addKeyCommands(group('keys', 'API keys'));
  addConnectionCommands(group('connections', 'Connections, which access tokens act through'));
  addWebhookCommands(group('webhooks', 'Endpoints'));
  addPortalLinkCommands(group('portal-link', 'Links that sign a customer in to the console'));
  addDeliveryCommands(group('deliveries', 'Deliveries'));
  addTokenCommands(group('tokens', 'Access tokens of the local stack'));
  addDeadLetterCommands(group('dead-letters', 'Messages that could not be processed'));
  const replay = group('replay', 'Bulk replays');
  addStartCommand(replay.command('start', { isDefault: true }));
  addReplayCommands(replay);
  // The earlier name of the same commands.
  addReplayCommands(program.command('replays', { hidden: true }));
  addAuditCommand(program.command('audit'));
  return program;
}
