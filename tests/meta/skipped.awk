# Reads CTest's JUnit file and prints how many tests were skipped and why. Fails if no test ran. The
# reason is the text after GoogleTest's "Skipped", or a script's line "skipped: <reason>".
function attribute(name) {
  return match($0, name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3) : ""
}
/<testcase / {
  name = attribute("name")
  skipped = attribute("status") == "notrun"
  if (skipped) { order[++count] = name; reason[name] = "" } else ++ran
}
skipped && after_skip { reason[name] = $0; after_skip = 0 }
skipped && /: Skipped\r?$/ { after_skip = 1 }
skipped && match($0, /(^|>)skipped: /) { reason[name] = substr($0, RSTART + RLENGTH) }
END {
  printf "Skipped tests: %d\n", count
  for (i = 1; i <= count; ++i) {
    why = reason[order[i]] == "" ? "no reason given" : reason[order[i]]
    gsub(/&quot;/, "\"", why); gsub(/&apos;/, "'", why); gsub(/&lt;/, "<", why)
    gsub(/&gt;/, ">", why); gsub(/&amp;/, "\\&", why)
    print "  " order[i] ": " why
  }
  if (!ran) { print "No test ran."; exit 1 }
}
