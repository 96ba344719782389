"""Readers of the packed formats: docs/formats.md of the service describes every byte."""
