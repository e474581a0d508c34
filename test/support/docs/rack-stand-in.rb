# Serves a config.ru as a Rack server does, so that the receiver of docs/pages/receive-and-verify.md is tested without
# gems. Usage: PORT=3000 ruby rack-stand-in.rb config.ru
require "socket"
require "stringio"

$stdout.sync = true

def run(app)
  server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT")))
  loop do
    client = server.accept
    request = client.gets
    next client.close if request.nil?

    _method, path, = request.split
    headers = {}
    until (line = client.gets.chomp).empty?
      name, value = line.split(": ", 2)
      headers["HTTP_#{name.upcase.tr("-", "_")}"] = value.to_s
    end
    body = client.read(headers.fetch("HTTP_CONTENT_LENGTH", "0").to_i)
    status, = app.call({ "PATH_INFO" => path, "rack.input" => StringIO.new(body) }.merge(headers))
    client.write("HTTP/1.1 #{status} \r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    client.close
  end
end

load ARGV.fetch(0)
