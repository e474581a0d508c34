<?= file_get_contents("http://{{application}}{$_SERVER['REQUEST_URI']}?{$_SERVER['HTTP_X_SERVICE_EVENT_ID']}");
