#!/usr/bin/env bash
# Checks every proof from its source, in a temporary folder (or in $BUILD, which is kept).
# Needs Coq 8.16 and python3: apt-get install --no-install-recommends coq
#   FULL=1  has Coq's independent checker, coqchk, go over what was compiled as well
#   PIN=1   writes statements.txt and golden/golden.json instead of comparing with them
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v coqc >/dev/null || { echo "Coq is not installed: apt-get install coq"; exit 2; }
version=$(coqc --print-version | cut -d' ' -f1)
build=${BUILD:-$(mktemp -d)}
[ -n "${BUILD:-}" ] || trap 'rm -rf "$build"' EXIT
mkdir -p "$build/coq" "$build/real"
cd "$here"
modules=$(sed -n 's/\.v$//p' coq/_CoqProject)

passed=0 failed=0
check() { # a sentence, and a command that succeeds if it is true
  if "${@:2}" >"$build/said" 2>&1; then passed=$((passed + 1)); echo "ok    $1"
  else failed=$((failed + 1)); echo "WRONG $1"; head -20 "$build/said" | sed 's/^/      /'; fi
}
finish() { wait; echo "$passed passed, $failed failed"; exit $((failed > 0)); }

declared() { # Module.name of every command with a keyword out of $1, in the modules $2
  for m in $2; do sed -nE "s/^($1) ([A-Za-z0-9_']+).*/$m.\2/p" "coq/$m.v"; done
}
CLAIMS='Theorem|Corollary|Example' DEFINITIONS='Definition|Fixpoint|Inductive'

nothing_postulated() {
  ! grep -nwE 'Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|bypass_check' coq/*.v &&
  ! grep -nE 'Unset (Guard|Positivity|Universe)|type-in-type' coq/*.v coq/_CoqProject
}
all_told() { # and the pages speak of no theorem that there is not
  named() { grep -ohE '`[a-z][a-z0-9]*(_[a-z0-9]+)+`' "$@" | tr -d '`' | sort -u; }
  claims=$(declared "$CLAIMS" "$modules" | sed 's/.*\.//' | sort -u)
  diff <(named THEOREMS.md) - <<<"$claims" &&
    [ -z "$(comm -23 <(named README.md pages/*.md) - <<<"$claims" | tee /dev/stderr)" ]
}
refresh() { # copies what differs, so that make compiles only that
  for f in "$1"/*.v; do cmp -s "$f" "$2/${f##*/}" || cp "$f" "$2/"; done
}
compile() ( # the folder $1 under the logical name $2
  cd "$build/$1"
  { echo "-Q . $2"; ls ./*.v; } >_CoqProject
  coq_makefile -f _CoqProject -o Makefile >make.log && make -j1 >>make.log 2>&1 ||
    { tail -20 make.log; exit 1; }
)
rational() { refresh coq "$build/coq" && compile coq SpecSim; }
real() {
  python3 real/derive.py coq "$build/derived" &&
  refresh "$build/derived" "$build/real" && compile real SpecSimReal
}
state() { # what is claimed, and the definitions it speaks of, as Coq prints them
  { echo "Require Import QArith List $(printf 'SpecSim.%s ' $modules)."
    echo "Import ListNotations. Open Scope Q_scope. Set Printing Width 90."
    declared "$DEFINITIONS" "$modules" | sed 's/.*/Print SpecSim.&./'
    declared "$CLAIMS" "$modules" | sed 's/.*/Check @SpecSim.&./'
  } >"$build/statements.v"
  coqc -Q "$build/coq" SpecSim "$build/statements.v" >"$build/statements.txt"
}
as_pinned() {
  state || return 1
  [ -z "${PIN:-}" ] || cp "$build/statements.txt" .
  diff statements.txt "$build/statements.txt"
}
assumptions() { # of all claims in the modules $3 of folder $1, logical name $2
  { echo "Require Import $(printf "$2.%s " $3)."
    echo "Definition everything := ($(declared "$CLAIMS" "$3" | sed "s/^/@$2./" | paste -sd,))."
    echo "Print Assumptions everything."
  } >"$build/assumptions_$1.v"
  coqc -Q "$build/$1" "$2" "$build/assumptions_$1.v"
}
no_axiom() { [ "$(assumptions coq SpecSim "$modules" | tee /dev/stderr)" = "Closed under the global context" ]; }
only_axioms_of_reals() {
  local known='Axioms:|ClassicalDedekindReals\.sig_(forall_dec|not_dec)|FunctionalExtensionality\.functional_extensionality_dep'
  assumptions real SpecSimReal "$(ls "$build/derived" | sed 's/\.v$//')" >"$build/used" &&
    ! grep -E '^[A-Za-z]' "$build/used" | grep -vE "^($known)( |$)"
}
same_laws() {
  python3 golden/golden.py "$build/coq" >"$build/golden.json" || return 1
  [ -z "${PIN:-}" ] || cp "$build/golden.json" golden/
  cmp "$build/golden.json" golden/golden.json
}
independent() {
  coqchk -silent -o -Q "$build/coq" SpecSim $(printf 'SpecSim.%s ' $modules) 2>&1 | tee /dev/stderr |
    grep -q 'Axioms: <none>'
}

real >"$build/real.log" 2>&1 & real_job=$!
check "nothing is admitted or postulated in the sources" nothing_postulated
check "THEOREMS.md names every theorem, and nothing else" all_told
check "the development compiles, over the rationals" rational
[ $failed = 0 ] || finish
check "no theorem rests on an axiom" no_axiom
case $version in
  8.16*) check "statements and definitions are those in statements.txt" as_pinned ;;
  *) echo "SKIP  statements.txt is as Coq 8.16 prints it: not compared under $version" ;;
esac
[ $failed = 0 ] || finish
check "Coq computes the golden laws, byte for byte" same_laws
check "the development compiles, over the reals" wait $real_job
check "over the reals it rests on the axioms of Coq's Reals only" only_axioms_of_reals
[ -z "${FULL:-}" ] || check "coqchk finds no axiom" independent
finish
