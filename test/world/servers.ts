/** A part of a server. Its commands run in a shell, in the folder of the filled templates. */
type Program = {
  readonly run: string;
  /** How operators reload it without an interruption. */
  readonly reload?: string;
  /** How nginx passes requests to it. */
  readonly pass?: string;
  /** The argument for its version. Default `-v`. */
  readonly version?: string;
};

const nginx = { run: 'nginx -p . -c nginx.conf', reload: 'kill -HUP $PID' };
const phpFpm = { run: '/usr/sbin/php-fpm* -F -O -R -y php-fpm.conf', pass: 'fastcgi_pass 127.0.0.1:{{app}}' };
const slow = {
  run: 'gunicorn -c /dev/null -b 127.0.0.1:{{app}} receiver',
  pass: 'proxy_pass http://127.0.0.1:{{app}}',
};

/** The programs of each server, in the order of their start. */
export const servers: Readonly<Record<string, readonly Program[]>> = {
  nginx: [nginx],
  apache: [{ run: 'apache2 -d . -f apache.conf -D FOREGROUND', reload: 'kill -USR1 $PID' }],
  caddy: [{ run: 'caddy run', reload: 'caddy reload --config Caddyfile --force', version: 'version' }],
  haproxy: [{ run: 'haproxy -W -f haproxy.cfg', reload: 'kill -USR2 $PID' }],
  gunicorn: [{ run: 'gunicorn receiver', reload: 'kill -HUP $PID' }],
  puma: [{ run: 'puma -t 8 -C puma.rb', version: '-V' }],
  'php-fpm': [phpFpm, nginx],
  'slow-gunicorn': [slow, nginx],
};
