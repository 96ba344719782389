# Generated from docs/openapi.json by `npm run generate`. Do not edit.
"""Version of this client: that of the service it came from."""

VERSION = "0.1.0"
