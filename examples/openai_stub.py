"""A tiny OpenAI-compatible server for trying model targets without a network: it knows some capitals.

    python examples/openai_stub.py --port 9090 --latency 0.2 --every 5 --status 429

With `--every N` each Nth request is answered with `--status` (and Retry-After), to watch retries at work.
"""

import argparse
import itertools
import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CAPITALS = {
    "Argentina": "Buenos Aires", "Australia": "Canberra", "Austria": "Vienna", "Belgium": "Brussels",
    "Brazil": "Brasília", "Canada": "Ottawa", "Chile": "Santiago", "China": "Beijing", "Denmark": "Copenhagen",
    "Egypt": "Cairo", "Finland": "Helsinki", "France": "Paris", "Germany": "Berlin", "Greece": "Athens",
    "India": "New Delhi", "Ireland": "Dublin", "Italy": "Rome", "Japan": "Tokyo", "Kenya": "Nairobi",
    "Mexico": "Mexico City", "Norway": "Oslo", "Peru": "Lima", "Poland": "Warsaw", "Portugal": "Lisbon",
    "Spain": "Madrid", "Sweden": "Stockholm", "Switzerland": "Bern", "Turkey": "Ankara",
}  # fmt: skip


def reply(messages: list[dict[str, str]]) -> str:
    """The capital of the first country named, the sum of a small addition, or an admission."""
    question = messages[-1]["content"]
    for country, capital in CAPITALS.items():
        if re.search(rf"\b{country}\b", question):
            return f"The capital of {country} is {capital}." if "sentence" in question else capital
    addition = re.search(r"(\d+)\s*\+\s*(\d+)", question)
    return str(int(addition[1]) + int(addition[2])) if addition else "I do not know."


class Handler(BaseHTTPRequestHandler):
    """Answers POST …/chat/completions."""

    protocol_version = "HTTP/1.1"
    numbers = itertools.count(1)
    port, latency, every, status = 9090, 0.0, 0, 429

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        time.sleep(self.latency)
        if self.every and next(self.numbers) % self.every == 0:
            self.send(self.status, {"error": {"message": "Injected: try again."}})
        else:
            self.send(200, self.completion(body))

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        text = reply(body["messages"])
        asked = sum(len(message["content"].split()) for message in body["messages"])
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": asked, "completion_tokens": len(text.split())}
        return {"object": "chat.completion", "model": body["model"], "choices": [choice], "usage": usage}

    def send(self, status: int, answer: dict[str, Any]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        if status != 200:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Silent: a job makes thousands of requests."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("port", "latency", "every", "status"):
        default = getattr(Handler, name)
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.parse_args(namespace=Handler)
    print(f"Answering at http://127.0.0.1:{Handler.port}/v1", flush=True)
    ThreadingHTTPServer(("127.0.0.1", Handler.port), Handler).serve_forever()
