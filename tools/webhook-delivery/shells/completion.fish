function __webhook_delivery_words
    set -l table (string split \n -- '@TABLE@')
    set -l words (commandline -opc)
    set -l place ' webhook-delivery'
    set -l here $place
    for word in $words[2..]
        # After an option that takes a value, `here` is the option.
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
            printf '%s\t%s\n' $row[2] $row[3]
        end
    end
end
complete -c webhook-delivery -f -a '(__webhook_delivery_words)'
