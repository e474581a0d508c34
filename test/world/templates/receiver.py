from urllib.request import urlopen


def application(environ, start_response):
    environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    urlopen("http://{{application}}" + environ["PATH_INFO"] + "?" + environ["HTTP_X_SERVICE_EVENT_ID"]).close()
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]
