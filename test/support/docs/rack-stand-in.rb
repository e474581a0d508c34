# Serves a config.ru as a Rack server does, so that the receiver of docs/pages/receive-and-verify.md is tested without
# gems. Usage: PORT=3000 ruby rack-stand-in.rb config.ru
require "socket"
require "stringio"

$stdout.sync = true

# The raw body, as Puma hands it on; nil if it does not.
def body_of(client, headers)
  length, coding = headers.values_at("HTTP_CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING")
  return client.read(length.to_i) if coding.nil?
  return unless length.nil? && coding.casecmp?("chunked")

  body = +"".b
  while (size = client.gets.to_s[/\A(\h{1,8})(?:;.*)?\r\n\z/, 1]) && size.hex.positive?
    body << client.read(size.hex).to_s
    return unless client.read(2) == "\r\n"
  end
  body if size && client.take_while { |line| line != "\r\n" }.size < 100
end

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
    body = body_of(client, headers)
    status, = body ? app.call({ "PATH_INFO" => path, "rack.input" => StringIO.new(body) }.merge(headers)) : [400]
    client.write("HTTP/1.1 #{status} \r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    client.close
  end
end

load ARGV.fetch(0)
