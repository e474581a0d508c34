require 'net/http'
run(lambda do |env|
  env['rack.input'].read
  Net::HTTP.get(URI("http://{{application}}#{env['PATH_INFO']}?#{env['HTTP_X_SERVICE_EVENT_ID']}"))
  [200, {}, ['ok']]
end)
