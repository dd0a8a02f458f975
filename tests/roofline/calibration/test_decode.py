"""A real transformer on this machine: measured, and predicted from its calibration."""

import pytest

torch = pytest.importorskip("torch")

from tools import decode_here  # noqa: E402


@pytest.mark.slow
@pytest.mark.torch
def test_decode_steps_lie_in_the_predicted_interval() -> None:
    """Probes and steps are timed in the same rounds, so load disturbs both alike."""
    found = list(decode_here.outcomes(1, 30.0, lambda text: None))
    assert [outcome.measured.work.format for outcome in found] == ["fp32", "bf16"]
    for outcome in found:
        assert outcome.inside, outcome.text()


@pytest.mark.torch
def test_the_decoder_decodes() -> None:
    """Its cache is used, its tokens follow from its weights."""
    torch.manual_seed(0)
    small = {"hidden_size": 256, "intermediate_size": 256, "num_attention_heads": 2}
    more = {"num_key_value_heads": 1, "num_hidden_layers": 1, "vocab_size": 50}
    config = decode_here.CONFIG | small | more
    with torch.inference_mode():
        llama = decode_here.Llama(config, "fp32")
        tokens = [llama.step() for _ in range(decode_here.MOST - decode_here.CONTEXT)]
        assert len(set(tokens)) > 1
        assert llama.at == decode_here.CONTEXT
