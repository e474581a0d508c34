# Serves the view of docs/pages/receive-and-verify.md as Django does, with its check of forged forms, which a view has to
# switch off. With Django installed, its own decorators and responses are used. Usage: PORT=3000 python3 django-stand-in.py
import functools
import os
import sys
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.getcwd())
try:
    from django.conf import settings

    settings.configure()
except ImportError:

    def module(name, **members):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)

    def csrf_exempt(view):
        wrapped = functools.wraps(view)(lambda request: view(request))
        wrapped.csrf_exempt = True
        return wrapped

    class HttpResponse:
        def __init__(self, status=200):
            self.status_code = status

    def require_post(view):
        allowed = functools.wraps(view)
        return allowed(lambda request: view(request) if request.method == "POST" else HttpResponse(405))

    for name in ("django", "django.views", "django.views.decorators"):
        module(name)
    module("django.http", HttpResponse=HttpResponse)
    module("django.views.decorators.csrf", csrf_exempt=csrf_exempt)
    module("django.views.decorators.http", require_POST=require_post)

from receiver import read_body
from webhooks import receive


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        body = read_body(self.headers, self.rfile)
        request = types.SimpleNamespace(method="POST", headers=self.headers, body=body)
        is_open = getattr(receive, "csrf_exempt", False)
        status = body if isinstance(body, int) else receive(request).status_code if is_open else 403
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Server).serve_forever()
