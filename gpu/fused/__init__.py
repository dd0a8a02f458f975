"""Rules from logits on the CPU: a row is read once, and no tensor of them is made."""
