eval "$command"
ask "{$tools}"
echo 'I did it'
