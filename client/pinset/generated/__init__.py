"""Typed operations, written by ariadne-codegen from the schema."""


