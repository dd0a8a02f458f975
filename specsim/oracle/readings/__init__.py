"""How the law of somebody else's code is read: by uniforms not drawn, or by bisection.

cells, uniforms, races   a uniform that forks the run it is compared in
symbolic                 every way a run can go: the exact law
standin                  a NumPy Generator made of such uniforms
scripted                 the law by bisection over written uniforms
scripts, pieces          what a run is given; what comes of it, as a tree
asking                   readings that ask in batches
"""
