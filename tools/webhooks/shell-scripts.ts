/** Something that can be typed at a place: after the names of a command, or after an option that takes a value. */
export type Row = {
  /** ` webhooks admin`, or ` webhooks emit --status`. */
  readonly place: string;
  /** `<file>` stands for the name of a file, and an empty word for a value that nothing is known of. */
  readonly word: string;
  readonly about: string;
};

const scripts: Readonly<Record<string, (rows: readonly Row[]) => string>> = { bash, zsh, fish };

export const shellNames = Object.keys(scripts);

export function shellScript(shell: string, rows: readonly Row[]): string {
  return scripts[shell]?.(rows) ?? '';
}

/** One line for each row, behind a line break. */
function tableOf(rows: readonly Row[], textOf: (row: Row) => string): string {
  return rows.map((row) => `\n${textOf(row)}`).join('');
}

const withAbout = ({ place, word, about }: Row): string => `${place}|${word}|${about}`;
const posixQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Walks the words before the cursor, in bash and in zsh; then `here` is the place of the cursor. */
const walk = `if [[ $here == *' -'* ]]; then here=$place
    elif [[ $table == *$'\\n'"$place $word|"* ]]; then
      here="$place $word"
      [[ $word == -* ]] || place=$here
    fi`;

/** For bash 3.2 or later. It needs no other script. */
function bash(rows: readonly Row[]): string {
  const table = tableOf(rows, ({ place, word }) => `${place}|${word}|`);
  return `_webhooks() {
  local place=' webhooks' cur=\${COMP_WORDS[COMP_CWORD]} word here where table=${posixQuoted(table)}
  [[ $1 == npx ]] && place=
  here=$place COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    ${walk}
  done
  if [[ $table == *$'\\n'"$here|<file>|"* ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  fi
  while IFS='|' read -r where word _; do
    [[ $where == "$here" && $word == "$cur"* && $word == [!\\<]* ]] && COMPREPLY+=("$word")
  done <<< "$table"
}
complete -F _webhooks webhooks
complete -p npx &>/dev/null || complete -o default -F _webhooks npx
`;
}

function zsh(rows: readonly Row[]): string {
  return `_webhooks() {
  local place=' webhooks' word here line table=${posixQuoted(tableOf(rows, withAbout))}
  local -a found
  [[ $service == npx ]] && place=
  here=$place
  for word in "\${(@)words[2,CURRENT-1]}"; do
    ${walk}
  done
  if [[ -z $here || $table == *$'\\n'"$here|<file>|"* ]]; then _files; fi
  for line in "\${(@f)table}"; do
    [[ $line == "$here|"[^\\<\\|]* ]] && found+=("\${\${line#*|}/|/:}")
  done
  _describe webhooks found
}
compdef _webhooks webhooks
(( $+_comps[npx] )) || compdef _webhooks npx
`;
}

function fish(rows: readonly Row[]): string {
  const table = tableOf(rows, withAbout).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `function __webhooks_words
    set -l table (string split \\n -- '${table}')
    set -l words (commandline -opc)
    set -l place ' webhooks'
    test "$words[1]" = npx; and set place ''
    set -l here $place
    for word in $words[2..]
        if string match -q -- '* -*' $here
            set here $place
        else if string match -q -- "$place $word|*" $table
            set here "$place $word"
            string match -q -- '-*' $word; or set place $here
        end
    end
    for line in $table
        set -l row (string split -m 2 '|' -- $line)
        test "$row[1]" = "$here" -a -n "$row[2]"; or continue
        if test $row[2] = '<file>'
            __fish_complete_path (commandline -ct)
        else
            printf '%s\\t%s\\n' $row[2] $row[3]
        end
    end
end
complete -c webhooks -f -a '(__webhooks_words)'
complete -c npx -n 'contains webhooks (commandline -opc)' -f -a '(__webhooks_words)'
`;
}
