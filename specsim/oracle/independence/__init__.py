"""Do draws know of one another: tokens of a block, calls, requests of a batch, seeds?

Each marginal law can be the target's while rows share a stream, or a stream begins anew
every few calls. lags.py bets on it, pits.py turns tokens into what is bet on, trial.py
asks an engine, streams.py has faulty streams to be caught.
"""
