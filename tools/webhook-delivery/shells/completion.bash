# For bash 3.2 or later. It needs no other script.
_webhook_delivery() {
  local cur=${COMP_WORDS[COMP_CWORD]} place=' webhook-delivery' here word where table='@TABLE@'
  here=$place COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    # After an option that takes a value, `here` is the option.
    if [[ $here == *' -'* ]]; then here=$place
    elif [[ $table == *$'\n'"$place $word|"* ]]; then
      here="$place $word"
      [[ $word == -* ]] || place=$here
    fi
  done
  if [[ $table == *$'\n'"$here|<file>|"* ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  fi
  while IFS='|' read -r where word _; do
    [[ $where == "$here" && $word == "$cur"* && $word == [!\<]* ]] && COMPREPLY+=("$word")
  done <<< "$table"
}
complete -F _webhook_delivery webhook-delivery
