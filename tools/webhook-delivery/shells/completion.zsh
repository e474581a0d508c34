_webhook_delivery() {
  local place=' webhook-delivery' here word line table='@TABLE@'
  local -a found
  here=$place
  for word in "${(@)words[2,CURRENT-1]}"; do
    # After an option that takes a value, `here` is the option.
    if [[ $here == *' -'* ]]; then here=$place
    elif [[ $table == *$'\n'"$place $word|"* ]]; then
      here="$place $word"
      [[ $word == -* ]] || place=$here
    fi
  done
  if [[ $table == *$'\n'"$here|<file>|"* ]]; then _files; fi
  for line in "${(@f)table}"; do
    [[ $line == "$here|"[^\<\|]* ]] && found+=("${${line#*|}/|/:}")
  done
  _describe webhook-delivery found
}
compdef _webhook_delivery webhook-delivery
