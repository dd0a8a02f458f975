"""A small right server, and the same with a fault: to see red before trusting green.

`python -m specsim.oracle.http.stub [--fault NAME]`; --list names the faults.
"""
