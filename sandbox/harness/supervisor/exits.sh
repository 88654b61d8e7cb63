# Read by bash before a test script (BASH_ENV): notes in which file the script came to its end.
trap 'if [ "$0" = "$ASSAY_SCRIPT" ]; then printf "%s\n" "${BASH_SOURCE[0]}" >> "$ASSAY_EXITS"; fi' EXIT
