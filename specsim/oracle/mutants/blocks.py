"""Faults planted in block verification."""

from specsim.oracle.planted import into

block = into("block")

MUTANTS = [
    block(
        "contiguous-block",
        "if source.accept(i, pass_prob):",
        "if source.accept(i, pass_prob) and kept == i:",
        "block algebra",
        "vllm-project/vllm-ascend#11985",
    ),
    block(
        "block-without-running-weight",
        "min(1, weight * p[i, x] / q[i, x])",
        "min(1, p[i, x] / q[i, x])",
        "block algebra",
        "vllm-project/vllm-ascend#7808",
    ),
    block(
        "block-pass-is-weight",
        "excess.sum() / slack if slack else 1",
        "weight",
        "block algebra",
        "vllm-project/vllm-ascend#7808",
    ),
    block(
        "block-residual-unscaled",
        "kept, left = i + 1, excess",
        "kept, left = i + 1, residual(p[i + 1], [*q, 0 * p[0]][i + 1])",
        "block algebra",
        "vllm-project/vllm-ascend#7807",
    ),
]
