"""Builds specsim/data/acceptance.csv: how well each drafter drafts, task by task.

    python -m tools.acceptance            from specsim/data/measurements/speculation.csv

Of the published rows those count that were read at their source or in a summary of it
(evidence "read", "secondary"), with tokens per step or acceptance, and `EDITS`.

Alpha of a row: as published, else the alpha at which the theory of
specsim/roofline/speculation/acceptance.py emits as many tokens a step, with the depth
and the tree that the row gives, else those usual for the drafter (`DRAFTER_COSTS`).
A task that a source gives a speed-up for, but tokens only overall: the overall tokens
times its speed-up over the overall one, as a cycle costs the same ("scaled").
Draft models: `decade` is what alpha gains by ten times the parameters, the mean slope
of the targets measured with several drafts; rows are moved to a draft of 1/30.
Alpha of a task: the mean level of the targets, and what the task adds to it (`split`),
since no target was measured in all tasks; of a target measured more than twice its own
level (lines that name a target). Low and high: `DOUBT` deviations of the rows from
that, pooled over the drafters with four targets and more.
Depth: `fall` is by what alpha falls with each token further down; 1 unless several
depths were measured, which only those of MTP were.
Temperature 1: alpha at 0 times the median ratio of pairs of rows that differ in nothing
else: of the target if there are three, else of the drafter, else of all.
"""
