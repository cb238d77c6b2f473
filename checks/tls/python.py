"""Checks HTTPS and WSS with Python's `ssl` and, if installed, `websockets`.

usage: python.py https://localhost:8443 sk_… CERTIFICATE
"""
import asyncio
import http.client
import json
import ssl
import sys
from urllib.parse import urlsplit

try:
    import websockets
except ImportError:
    websockets = None

URL, KEY, CERTIFICATE = sys.argv[1:]
HOST = urlsplit(URL)
TEXT = "नमस्ते, आपका ऑर्डर आज शाम को पहुँच जाएगा।"


def clip(context):
    connection = http.client.HTTPSConnection(HOST.hostname, HOST.port, context=context)
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    connection.request("POST", "/v1/tts", json.dumps({"text": TEXT}), headers)
    response = connection.getresponse()
    assert response.status == 200, response.read()
    return response.read()


def refusal(context, host):
    """Returns the error of certificate verification."""
    import socket
    try:
        with socket.create_connection((HOST.hostname, HOST.port)) as tcp, context.wrap_socket(tcp, server_hostname=host):
            raise AssertionError(f"{host} was trusted")
    except ssl.SSLCertVerificationError as error:
        return error.verify_message


async def conversation(context):
    url = f"wss://{HOST.netloc}/v1/tts/stream"
    sound = b""
    async with websockets.connect(url, ssl=context, additional_headers={"authorization": f"Bearer {KEY}"}) as stream:
        await stream.send(json.dumps({"type": "config", "max_lead_ms": 0}))
        await stream.send(json.dumps({"text": TEXT, "final": True}))
        async for message in stream:
            if isinstance(message, bytes):
                sound += message
            elif json.loads(message)["type"] == "turn.done":
                break
    return sound


def main():
    context = ssl.create_default_context(cafile=CERTIFICATE)
    # this flag is the default in later Python versions
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    samples = clip(context)
    assert len(samples) > 40_000 and len(samples) % 2 == 0
    assert "self" in refusal(ssl.create_default_context(), "localhost")
    assert "mismatch" in refusal(context, "speech.example")
    if websockets is None:
        print("tls: Python has no `websockets`; the conversation was skipped")
        return
    assert asyncio.run(conversation(context)) == samples, "the audio of a turn differs from the clip"


main()
