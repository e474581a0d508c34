_webhooks() {
  local place=' webhooks' here word line table='@TABLE@'
  local -a found
  [[ $service == npx ]] && place=
  here=$place
  for word in "${(@)words[2,CURRENT-1]}"; do
    # After an option that takes a value, `here` is the option.
    if [[ $here == *' -'* ]]; then here=$place
    elif [[ $table == *$'\n'"$place $word|"* ]]; then
      here="$place $word"
      [[ $word == -* ]] || place=$here
    fi
  done
  if [[ -z $here || $table == *$'\n'"$here|<file>|"* ]]; then _files; fi
  for line in "${(@f)table}"; do
    [[ $line == "$here|"[^\<\|]* ]] && found+=("${${line#*|}/|/:}")
  done
  _describe webhooks found
}
compdef _webhooks webhooks
(( $+_comps[npx] )) || compdef _webhooks npx
