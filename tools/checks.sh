# Sourced by the tests of what is handed out: counts what passed and failed. Needs $work, a folder.
passed=0
failed=0

# check TITLE COMMAND...: one test, passed when the command succeeds.
check() {
  local title=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    passed=$((passed + 1))
    echo "   $title"
  else
    failed=$((failed + 1))
    echo "== FAILED: $title"
    cat "$work/output"
  fi
}

not() { ! "$@"; }

# The sum, which is the last line; fails when a test did.
sum() {
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0))
}
