"""Configurations as their users write them, and as nobody should."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.errors import Bad
from specsim.roofline import names
from specsim.roofline.configurations import ENGINES, Setup, Tree, parse

VLLM = "vllm serve meta-llama/Llama-3.1-70B --tensor-parallel-size 4 --port 8000"


def test_vllm_reads_a_command_of_several_lines() -> None:
    text = (
        VLLM
        + ' \\\n  --speculative-config \'{"method": "eagle3", '
        + ('"model": "a/eagle3", "num_speculative_tokens": 3, "quantization": "fp8"}\'')
    )
    made = parse(text)
    assert made == Setup(
        "eagle3", 3, "a/eagle3", target="meta-llama/Llama-3.1-70B", tensor_parallel=4
    )
    assert made.left_out == ("quantization",)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (
            '{"model": "x/y", "num_speculative_tokens": 5}',
            Setup("draft-model", 5, "x/y"),
        ),
        (
            '{"model": "yuhuili/EAGLE3-L", "num_speculative_tokens": 2}',
            Setup("eagle3", 2, "yuhuili/EAGLE3-L"),
        ),
        (
            '{"model": "[ngram]", "num_speculative_tokens": 4, "prompt_lookup_max": 3}',
            Setup("prompt-lookup", 4, window=(3, 3)),
        ),
        (
            '{"method": "qwen3_next_mtp", "num_speculative_tokens": 2}',
            Setup("mtp", 2),
        ),
        (
            '{"speculative_config": {"method": "suffix", "num_speculative_tokens": 9}}',
            Setup("suffix", 9),
        ),
    ],
)
def test_vllm_finds_the_method_out_as_the_engine_does(
    options: str, wanted: Setup
) -> None:
    assert parse(options) == wanted


def test_vllm_takes_the_short_forms_over_the_object() -> None:
    line = (
        f'{VLLM} --spec-tokens 7 -sc \'{{"method":"mtp","num_speculative_tokens":1}}\''
    )
    assert parse(line).k == 7


def test_sglang_counts_the_root_among_the_tokens_verified() -> None:
    line = (
        "python3 -m sglang.launch_server --model meta-llama/Llama-2-7b-chat-hf "
        "--speculative-algorithm EAGLE --speculative-draft-model-path lmsys/E "
        "--speculative-num-steps 3 --speculative-eagle-topk 4 "
        "--speculative-num-draft-tokens 16 --mem-fraction-static 0.7"
    )
    assert parse(line).tree == Tree(4, 15)


def test_sglang_calls_built_in_layers_by_eagle_without_a_model() -> None:
    line = (
        "--speculative-algorithm EAGLE --speculative-num-steps 1 "
        "--speculative-eagle-topk 1 --speculative-num-draft-tokens 2"
    )
    assert parse(line) == Setup("mtp", 1)


def test_sglang_lookup_branches_unless_told_otherwise() -> None:
    made = parse("--speculative-algorithm NGRAM")
    assert made == Setup("prompt-lookup", 11, tree=Tree(10, 11))


YAML = """
# serve with: trtllm-serve --config this
model: /models/llama   # the target
tensor_parallel_size: 8
cuda_graph_config:
  batch_sizes:
  - 1
  - 2
  enable_padding: true
kv_cache_config: {"free_gpu_memory_fraction": 0.8}
layers:
  - name: a
    ids: [1, 2]
  - name: b
speculative_config:
  decoding_type: Eagle
  max_draft_len: 6
  speculative_model_dir: 'yuhuili/EAGLE3'
  use_dynamic_tree: true
  dynamic_tree_max_topK: 10
  max_concurrency: 4
"""


def test_trtllm_reads_its_part_of_a_file_of_many_options() -> None:
    made = parse(YAML)
    assert made == Setup(
        "eagle3",
        6,
        "yuhuili/EAGLE3",
        Tree(10, 60),
        target="/models/llama",
        tensor_parallel=8,
    )
    assert made.left_out == ("max_concurrency",)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ("decoding_type: MTP\nnum_nextn_predict_layers: 3", Setup("mtp", 3)),
        ("decoding_type: NGram\nmax_draft_len: 3", Setup("prompt-lookup", 3)),
        (
            "decoding_type: SA\nmax_draft_len: 3\nmax_matching_ngram_size: -1",
            Setup("suffix", 3),
        ),
        (
            '{"decoding_type": "DraftTarget", "max_draft_len": 4, '
            '"speculative_model": "a/b"}',
            Setup("draft-model", 4, "a/b"),
        ),
    ],
)
def test_trtllm_reads_older_names_and_bare_options(options: str, wanted: Setup) -> None:
    assert parse(options) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (
            "llama-server -m t.gguf -md d.gguf --draft-max 16 --draft-min 5",
            Setup("draft-model", 16, "d", target="t"),
        ),
        (
            "llama-server -m Qwen2.5-7B-Instruct-Q4_K_M.gguf "
            "-md '/models/a b/Qwen2.5-0.5B-Instruct-Q8_0-00001-of-00002.GGUF'",
            Setup(
                "draft-model",
                3,
                "Qwen2.5-0.5B-Instruct-Q8_0",
                target="Qwen2.5-7B-Instruct-Q4_K_M",
            ),
        ),
        (
            "llama-server -hf o/t-GGUF:Q4_K_M -hfd o/d-GGUF",
            Setup("draft-model", 3, "o/d-GGUF", target="o/t-GGUF:Q4_K_M"),
        ),
        ("llama-server -m t -md d", Setup("draft-model", 3, "d", target="t")),
        ("--spec-type ngram-mod", Setup("prompt-lookup", 64)),
        ("--spec-default", Setup("prompt-lookup", 64)),
        (
            "--spec-type ngram-map-k4v --spec-ngram-map-k4v-size-n 8 "
            "--spec-ngram-map-k4v-size-m 6",
            Setup("prompt-lookup", 6, window=(8, 8)),
        ),
        (
            "llama-cli -hf o/t --spec-type draft-mtp --draft 2 -sm row -ts 3,1",
            Setup("mtp", 2, target="o/t", tensor_parallel=2),
        ),
        ("llama-server -m t --spec-type ngram-simple -sm layer -ts 1,1",
         Setup("prompt-lookup", 48, target="t")),
    ],
)  # fmt: skip
def test_llamacpp_reads_its_types(line: str, wanted: Setup) -> None:
    assert parse(line) == wanted


@pytest.mark.parametrize(
    "loaded",
    ["-m a/Qwen2.5-7B-Instruct-Q4_K_M.gguf", "-hf Qwen/Qwen2.5-7B-GGUF:Q4_K_M"],
)
def test_what_llamacpp_loads_is_a_model_that_can_be_priced(loaded: str) -> None:
    made = parse(f"llama-server {loaded} --spec-type ngram-simple")
    assert made.target is not None
    row = names.model(made.target)
    assert (row.hf_id, row.native_dtype) == ("Qwen/Qwen2.5-7B", "q4_k_m")


STEPS = "--speculative-algorithm EAGLE3 --speculative-draft-model-path a/b "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # unknown names
        ('{"method": "ngram", "num_speculative_token": 3}', "mean num_speculative_tok"),
        ('{"method": "magic", "num_speculative_tokens": 3}', "method 'magic'"),
        ("vllm serve a --speculative-model b", "no option '--speculative-model'"),
        (STEPS + "--speculative-num-step 3", "did you mean --speculative-num-steps"),
        ("--speculative-algorithm MAGIC", "'MAGIC' is not understood"),
        ("decoding_type: Magic\nmax_draft_len: 3", "'Magic' is not understood"),
        ("decoding_type: MTP\nmax_draft_length: 3", "did you mean max_draft_len"),
        ("--spec-type draft-magic -md a", "'draft-magic' is not understood"),
        ("--spec-type ngram-cache", "'ngram-cache' is not understood"),
        ("--spec-type draft-mtp --spec-draft-n-mux 3", "mean --spec-draft-n-max"),
        ("--spec-type ngram-simple --spec-ngram-size-n 3", "gone: use --spec-ngram-s"),
        # wrong types, wrong sizes
        ('{"method": "mtp", "num_speculative_tokens": "3"}', "whole number from 1"),
        ('{"method": "mtp", "num_speculative_tokens": 3.0}', "is 3.0"),
        ('{"method": "mtp", "num_speculative_tokens": true}', "is True"),
        ('{"method": "mtp", "num_speculative_tokens": 1000000}', "from 1 to 1,000"),
        ('{"method": 3, "num_speculative_tokens": 3}', "is 3; it must be a word"),
        ('{"method": "draft_model", "model": {}, "num_speculative_tokens": 3}', "{}"),
        (STEPS + "--speculative-num-steps x", "is 'x'; it must be a whole number"),
        (STEPS + "--speculative-num-steps -1", "is '-1'"),
        (STEPS + "--speculative-num-steps 99999999999999999999999", "whole number"),
        ("decoding_type: MTP\nuse_dynamic_tree: 1\nmax_draft_len: 2", "true or false"),
        ("decoding_type: MTP\nmax_draft_len: [1]", r"is \[1\]"),
        ("--spec-type draft-mtp --spec-draft-p-min 2", "a number from 0 to 1"),
        ("--spec-type draft-mtp --spec-draft-p-min nan", "a number from 0 to 1"),
        ("--spec-type draft-mtp --spec-draft-n-max", "without its value"),
        # missing or contradictory
        ("vllm serve a", "speculation is off"),
        ("vllm serve a --speculative-config []", "no JSON object"),
        ('{"num_speculative_tokens": 3}', "method is missing"),
        ('{"method": "eagle3", "num_speculative_tokens": 3}', "model is missing"),
        ('{"method": "ngram", "prompt_lookup_max": 3}', "tokens is missing"),
        ('{"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 2, '
         '"prompt_lookup_min": 3}', "swap"),
        ("vllm serve a --speculative-config.method ngram", "give one object"),
        ("llama-server -m a", "speculation is off"),
        ("python3 -m sglang.launch_server --model a", "speculation is off"),
        ("trtllm-serve a --config b.yaml", "the file that --config names"),
        ("speculative_config:\n  max_draft_len: 3\n# decoding_type", "missing: Draft"),
        ("a: 1\n# decoding_type", "speculation is off"),
        (STEPS + "--speculative-num-steps 3", "give all or none"),
        ("decoding_type: Eagle3\nspeculative_model: a", "max_draft_len is missing"),
        ("decoding_type: Eagle3\nspeculative_model: a\nmax_draft_len: 3\n"
         "use_dynamic_tree: true", "needs max_draft_len and"),
        ("decoding_type: MTP\nmax_draft_len: 3\nnum_nextn_predict_layers: 3", "one"),
        ("--spec-type draft-mtp,ngram-mod", "give one type"),
        ("--spec-type draft-mtp --spec-type draft-mtp", "given twice"),
        # cut off, or no such thing at all
        ('{"method": "ngram", "num_speculative_tokens": 3', "not valid JSON at char"),
        ('{"method": "mtp", "method": "ngram", "num_speculative_tokens": 3}', "twice"),
        ('{"method": "mtp", "num_speculative_tokens": NaN}', "NaN is no number"),
        ('{"num_speculative_tokens":' + "[" * 100_000, "not valid JSON"),
        ("vllm serve a --speculative-config '{\"method", "check its quotes"),
        ("decoding_type: MTP\n\tmax_draft_len: 3", "line 2 is indented with a tab"),
        ("decoding_type: MTP\n   max_draft_len: 3", "line 2 is indented otherwise"),
        ("decoding_type: &a MTP", "line 1 has a value this reader does not know"),
        ("decoding_type: |\n  MTP", "does not know"),
        ("decoding_type: MTP\ndecoding_type: MTP", "line 2 gives 'decoding_typ"),
        ("decoding_type: MTP\nwhat is this", "is no `name: value`"),
        ("\n".join(" " * n + "a:" for n in range(99)) + " decoding_type", "deeper"),
        ("hello", "tells no engine"),
        ("", "tells no engine"),
        ("vllm serve a --spec-type draft-mtp --spec-draft-n-max 3", "could be vllm or"),
        ("no/such/file.yaml", "No such file"),
        ("num_speculative_tokens" * 100_000, "over 1,000,000 letters"),
    ],
)  # fmt: skip
def test_what_cannot_be_right_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(Bad, match=said) as caught:
        parse(text)
    assert "\n" not in caught.value.args[0]
    assert len(caught.value.args[0]) < 400


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(Bad, match="not text"):
        parse(file)
    with pytest.raises(Bad, match="give a configuration"):
        parse(tmp_path)


WORDS = st.lists(
    st.sampled_from(
        ["--spec-type", "draft-mtp", "decoding_type:", "MTP", "vllm serve", "{", "}",
         '"', "'", "num_speculative_tokens", "--speculative-algorithm", "NGRAM", "\n",
         "  ", "- ", "3", "-1", "=", "--spec-draft-n-max", "#", ":",
         "speculative_config:"]
    )
)  # fmt: skip


@pytest.mark.parametrize("engine", [*ENGINES, None])
@given(text=WORDS.map(" ".join) | st.text(max_size=60))
def test_nothing_but_a_setup_or_a_refusal_comes_back(
    engine: str | None, text: str
) -> None:
    with suppress(Bad):
        assert isinstance(parse(text, engine), Setup)
