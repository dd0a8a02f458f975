"""Every drafter on real models, beside Hugging Face transformers on the same ones.

    python -m tools.league --output FILE.jsonl                       the embedded models
    python -m tools.league --output FILE.jsonl --target FOLDER --eagle F --medusa F
    python -m tools.league --output FILE.jsonl --page docs/generate.md

prompts  texts to go on from: code, prose, edits
cells    what is measured, a line of the file each
ours     drafters with their usual rules; plain decoding on other backends
theirs   transformers: plain, assisted and prompt lookup, in two number formats
worker   one model on so many threads, in a process of its own
table, page   what came of it, between markers of a page

A line that is in the file is not measured again. Each is timed in turn, token by token,
with plain decoding of as many tokens by our NumPy backend, so that whatever else the
machine does is as unfair to one as to the other.
"""
