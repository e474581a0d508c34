bind = "127.0.0.1:{{port}}"
certfile = "../tls/localhost.pem"
keyfile = "../tls/localhost-key.pem"
threads = 8
keepalive = {{keepAlive}}
