"""The columns of a file of measurements: three formats, and names near to theirs."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from specsim.roofline.fields import short


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


PASSED_OVER = _names(
    "id source provenance evidence notes note comment comments split holdout"
    " holdout_kind url date flag"
)
"""Columns that tell of a row, in a file of any format; most are read by nobody."""


@dataclass(frozen=True)
class Format:
    """One kind of file.

    needed:   the columns it must have.
    figures:  what was measured; one of them at least.
    derived:  what is computed from the figures, or tells of them.
    optional: what a prediction reads besides those it needs.
    beside:   what its rows also say, and no prediction needs.
    other:    what people call its columns, without blanks and underscores.
    """

    name: str
    needed: frozenset[str]
    figures: frozenset[str]
    derived: frozenset[str]
    optional: frozenset[str]
    beside: frozenset[str]
    other: Mapping[str, str]

    @property
    def measured(self) -> frozenset[str]:
        """The columns no prediction may read."""
        return self.figures | self.derived

    @property
    def read(self) -> frozenset[str]:
        """The columns that make a difference."""
        return self.needed | self.figures | self.optional

    def lacks(self, columns: set[str]) -> list[str]:
        """What columns lack to be of this format."""
        lacking = sorted(self.needed - columns)
        if not self.figures & columns:
            lacking.append(" or ".join(sorted(self.figures)))
        return lacking

    def strange(self, columns: Iterable[str]) -> dict[str, str]:
        """Columns that are none of the format, and which absent one each may mean.

        "" where there is no such name.
        """
        held = list(dict.fromkeys(filter(None, columns)))
        known = self.read | self.derived | self.beside | PASSED_OVER
        absent = sorted(self.read.difference(held))
        return {name: self._meant(name, absent) for name in held if name not in known}

    def _meant(self, name: str, absent: list[str]) -> str:
        plain = _plain(name[:80])
        if meant := self.other.get(plain):
            return meant if meant in absent else ""
        names = {_plain(each): each for each in absent}
        near = get_close_matches(plain, names, n=1, cutoff=0.75)
        return names[near[0]] if near else ""


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def _called(*lines: str) -> dict[str, str]:
    """`column: what people call it`."""
    pairs = (line.split(": ") for line in lines)
    return {word: column for column, words in pairs for word in words.split()}


FORMATS = (
    Format(
        "decode",
        needed=_names("model device"),
        figures=_names("ms_per_step value"),
        derived=_names("includes_notes notes"),
        optional=_names(
            "params_b active_b weight_format weight_bits weight_gb_basis kv_bits"
            " dev_bw_gbps n_devices parallel tp batch prompt_len output_len ctx_avg"
            " metric engine version_date"
        ),
        beside=_names("weight_gb_read kv_gb"),
        other=_called(
            "model: modelname modelid modelpath",
            "device: gpu gpuname hardware accelerator system",
            "weight_format: weights weight precision dtype quant quantization format",
            "weight_bits: bits bpw",
            "kv_bits: kv kvcache kvdtype",
            "ctx_avg: context contextlen contextlength ctx ctxlen seqlen kvlen",
            "prompt_len: prompt prompttokens isl inputlen inputlength inputtokens",
            "output_len: output outputtokens osl outputlength gentokens generated",
            "batch: batchsize bs concurrency users",
            "n_devices: gpus ngpus numgpus devices count",
            "tp: tpsize tensorparallel",
            "params_b: params parameters",
            "active_b: active activeparams",
            "dev_bw_gbps: bandwidth bandwidthgbs membw",
            "metric: unit units",
            "engine: framework backend software",
            "version_date: version engineversion",
            "ms_per_step: ms tpot tpotms itl itlms stepms msperstepms",
            "value: toks tokspersec tokss tps throughput tokenspersecond",
        ),
    ),
    Format(
        "serving",
        needed=_names("model_path system batch_size isl osl"),
        figures=_names("silicon_tpot_ms silicon_ttft_ms"),
        derived=_names("silicon_data_source notes"),
        optional=_names(
            "params_b active_b dev_bw_gbps backend backend_version precision mode"
            " gemm_quant_mode moe_quant_mode tp_size pp_size attention_dp_size"
            " moe_tp_size moe_ep_size"
        ),
        beside=_names("model"),
        other=_called(
            "model_path: modelname modelid",
            "system: device gpu gpuname hardware",
            "batch_size: batch bs concurrency users",
            "isl: prompt promptlen inputlen inputlength inputtokens context",
            "osl: output outputlen outputlength outputtokens",
            "backend: engine framework",
            "backend_version: version engineversion versiondate",
            "precision: weights weightformat dtype quant quantization format",
            "tp_size: tp tensorparallel",
            "pp_size: pp pipelineparallel",
            "attention_dp_size: dp dpsize attentiondp",
            "moe_tp_size: moetp",
            "moe_ep_size: ep epsize expertparallel moeep",
            "silicon_tpot_ms: tpot tpotms itl itlms",
            "silicon_ttft_ms: ttft ttftms",
        ),
    ),
    Format(
        "speculation",
        needed=_names("method target"),
        figures=_names("speedup"),
        derived=_names("implied_cycle_cost baseline_tok_s spec_tok_s notes"),
        optional=_names(
            "evidence kind draft K_or_tree batch alpha tau_tokens_per_step device"
            " engine source"
        ),
        beside=_names(
            "task temperature tau_definition draft_cost_ratio_c step_overhead_given"
        ),
        other=_called(
            "method: drafter algorithm speculator",
            "target: model targetmodel",
            "draft: draftmodel",
            "K_or_tree: k gamma tree drafttokens numspeculativetokens",
            "batch: batchsize bs concurrency",
            "alpha: acceptance acceptancerate",
            "tau_tokens_per_step: tau tokensperstep acceptancelength tokens",
            "device: gpu hardware system",
            "engine: framework backend",
        ),
    ),
)


def strange(columns: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Format to columns: those not understood, and what each may mean."""
    return {
        name: meant
        for form in FORMATS
        for name, meant in form.strange(columns.get(form.name, ())).items()
    }


MOST = 12


def line(unknown: Mapping[str, str]) -> str:
    """The same for a reader, the ones with a near name first."""
    likely = sorted(unknown, key=lambda name: not unknown[name])
    said = [
        _shown(name) + (f" (did you mean {unknown[name]}?)" if unknown[name] else "")
        for name in likely
    ]
    more = [f"and {len(said) - MOST:,} more"] if len(said) > MOST else []
    return f"columns not understood: {', '.join(said[:MOST] + more)}"


def _shown(name: str) -> str:
    return name if name.isidentifier() and len(name) <= 40 else short(name)
