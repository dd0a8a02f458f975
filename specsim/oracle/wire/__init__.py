"""Engines in any language, judged over a pipe: see docs/protocol.md.

messages, text   what is written and read: JSON lines, or plain words
record           what an engine says of itself
command          what a person typed, as a command
program          the engine, as a trial asks it
batches          does a block depend on the request it is in?
stubs            a first engine in five languages, from adapters/: `specsim init`
faults           adapters that get the wire wrong, one planted line each
"""
