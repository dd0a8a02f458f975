"""Models: logits and hidden states of trees of tokens, batched."""
