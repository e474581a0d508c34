persistent_timeout {{keepAlive}}
ssl_bind '127.0.0.1', {{port}}, cert: '../tls/localhost.pem', key: '../tls/localhost-key.pem', verify_mode: 'none'
