"""python -m specsim.oracle.http.stub"""

import argparse
import contextlib

from specsim.oracle.http.stub.engine import Engine
from specsim.oracle.http.stub.faults import FAULTS
from specsim.oracle.http.stub.serve import DIALECTS, Stub


def main() -> None:
    """Serve until killed; the first line says where."""
    made = argparse.ArgumentParser(
        prog="python -m specsim.oracle.http.stub",
        description="a small server to judge: right, unless it is given a fault",
    )
    made.add_argument("--fault", choices=FAULTS, metavar="NAME", help="see --list")
    made.add_argument("--list", action="store_true", help="the faults there are")
    made.add_argument("--port", type=int, default=0, help="default: any that is free")
    made.add_argument("--dialect", choices=DIALECTS, default="both")
    made.add_argument("--plain", action="store_true", help="without speculation")
    made.add_argument("--seed", type=int, default=0)
    args = made.parse_args()
    if args.list:
        for fault in FAULTS.values():
            print(f"{fault.name:36} {fault.kind:20} {', '.join(fault.reports)}")
        return
    planted = FAULTS[args.fault].planted() if args.fault else contextlib.nullcontext()
    with planted, Stub(Engine(args.plain, args.seed), args.port, args.dialect) as stub:
        print(stub.url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            stub.serve_forever()


if __name__ == "__main__":
    main()
