"""Every planted bug, one row each, with the public reports of the fault it mirrors.

A check that no mutant has failed is not a check. Diagnosis compares an engine's law
with these laws and prints the line. owner/repo#N is a public issue or pull request.
"""

from specsim.oracle.mutants import (
    blocks,
    chains,
    coins,
    draft_rows,
    lossy,
    multi_draft,
    multipath,
    races,
    selections,
    siblings,
    transport,
    trees,
    wirings,
)
from specsim.oracle.planted import CoinFault, Mutant, Wiring

MUTANTS: dict[str, Mutant | CoinFault | Wiring] = {
    row.name: row
    for row in [
        *chains.MUTANTS,
        *draft_rows.MUTANTS,
        *races.MUTANTS,
        *blocks.MUTANTS,
        *trees.MUTANTS,
        *coins.MUTANTS,
        *lossy.MUTANTS,
        *multipath.MUTANTS,
        *wirings.WIRINGS,
        *siblings.WIRINGS,
        *selections.WIRINGS,
        *transport.MUTANTS,
        *transport.WIRINGS,
        *multi_draft.MUTANTS,
    ]
}
