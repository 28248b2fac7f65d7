#!/bin/bash
# Whether the service of this container can be used. In bash alone: it runs every few seconds, and a Node would cost more than some services.
exec 3<>"/dev/tcp/127.0.0.1/${SERVICE_PORT}" || exit 1
printf 'GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3
read -r _ status _ <&3
[ "$status" = 200 ]
