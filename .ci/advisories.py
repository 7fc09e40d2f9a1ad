"""Ask OSV, the open database of known vulnerabilities, about every version in constraints.txt.

Exit code 1 where one is vulnerable. Where the database cannot be reached, this says so and does not fail: a build
without a network is no less safe than it was.
"""

import re
import sys
from pathlib import Path

import httpx

OSV = "https://api.osv.dev/v1/querybatch"
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;#]+)", re.MULTILINE)


def main() -> int:
    """Print what is known, one advisory a line."""
    pins = PIN.findall((Path(__file__).parent.parent / "constraints.txt").read_text("utf-8"))
    queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in pins]
    try:
        answer = httpx.post(OSV, json={"queries": queries}, timeout=20)
        answer.raise_for_status()
        results = answer.json()["results"]
    except (httpx.HTTPError, ValueError, KeyError) as error:
        print(f"Advisories were NOT checked: {OSV} cannot be reached ({type(error).__name__}).", file=sys.stderr)
        return 0
    found = [(pin, each["id"]) for pin, result in zip(pins, results, strict=True) for each in result.get("vulns", ())]
    for (name, version), identity in found:
        print(f"{name}=={version}: https://osv.dev/vulnerability/{identity}")
    print(f"{len(pins)} packages checked, {len(found)} known advisories.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
